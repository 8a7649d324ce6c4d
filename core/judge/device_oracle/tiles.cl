    /*
     * The body of a kernel for products of matrices. A work-group computes a tile of TILE x TILE
     * elements of a result, over a part of the depth, with SIDE * SIDE work-items that each have
     * EACH x EACH elements. It computes SUMS products of matrices at once: A_TERMS sets x[t] to the
     * element at `row` and `k` of the first matrix of product t, and B_TERMS to that at `k` and
     * `column` of the second. SKIPS_LAST is true if the last product is not needed. A_ALONG and
     * B_ALONG are 1 if an operand's adjacent elements lie along the depth.
     */
    LOCAL double in_a[SUMS][TILE_DEPTH][TILE + 1], in_b[SUMS][TILE_DEPTH][TILE + 1];
    const int down = lane / SIDE, across = lane % SIDE;
    double sums[SUMS][EACH][EACH], x[SUMS], a[EACH], b[EACH];
#pragma unroll
    for (int t = 0; t < SUMS; t++)
#pragma unroll
        for (int r = 0; r < EACH; r++)
#pragma unroll
            for (int c = 0; c < EACH; c++)
                sums[t][r][c] = 0;
    for (int from = first_k; from < last_k; from += TILE_DEPTH) {
        for (int e = lane; e < TILE * TILE_DEPTH; e += SIDE * SIDE) {
            const int deep = A_ALONG ? e % TILE_DEPTH : e / TILE;
            const int wide = A_ALONG ? e / TILE_DEPTH : e % TILE;
            const int row = first_row + wide, k = from + deep;
            for (int t = 0; t < SUMS; t++)
                x[t] = 0;
            if (row < ROWS && k < last_k) {
                A_TERMS
            }
            for (int t = 0; t < SUMS; t++)
                in_a[t][deep][wide] = x[t];
        }
        for (int e = lane; e < TILE * TILE_DEPTH; e += SIDE * SIDE) {
            const int deep = B_ALONG ? e % TILE_DEPTH : e / TILE;
            const int wide = B_ALONG ? e / TILE_DEPTH : e % TILE;
            const int column = first_column + wide, k = from + deep;
            for (int t = 0; t < SUMS; t++)
                x[t] = 0;
            if (column < COLUMNS && k < last_k) {
                B_TERMS
            }
            for (int t = 0; t < SUMS; t++)
                in_b[t][deep][wide] = x[t];
        }
        BARRIER;
#pragma unroll
        for (int k = 0; k < TILE_DEPTH; k++)
#pragma unroll
            for (int t = 0; t < SUMS; t++) {
                if (t == 2 && SKIPS_LAST)
                    continue;
#pragma unroll
                for (int r = 0; r < EACH; r++) {
                    a[r] = in_a[t][k][down + SIDE * r];
                    b[r] = in_b[t][k][across + SIDE * r];
                }
#pragma unroll
                for (int r = 0; r < EACH; r++)
#pragma unroll
                    for (int c = 0; c < EACH; c++)
                        sums[t][r][c] += a[r] * b[c];
            }
        BARRIER;
    }
#pragma unroll
    for (int r = 0; r < EACH; r++)
#pragma unroll
        for (int c = 0; c < EACH; c++) {
            const int row = first_row + down + SIDE * r, column = first_column + across + SIDE * c;
            const int i = (matrix * ROWS + row) * COLUMNS + column;
            if (row >= ROWS || column >= COLUMNS)
                continue;
