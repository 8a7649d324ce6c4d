    /*
     * The body of a kernel for products of matrices. A work-group computes a tile of TILE x TILE
     * elements of a result, over a part of the depth, with SIDE * SIDE work-items that each have
     * EACH x EACH elements. It computes SUMS products of matrices at once: A_TERMS sets x[t] to the
     * element at `row` and `k` of the first matrix of product t, and B_TERMS to that at `k` and
     * `column` of the second. SKIPS_LAST is true if the last product is not needed. A_ALONG and
     * B_ALONG are 1 if an operand's adjacent elements lie along the depth. ELEMENT is the index of an
     * element in the result, negative for none.
     *
     * With matrix units, each of the eight warps has 16 x 32 elements of the tile: two by four
     * matrices of 8 x 8. Rows of PITCH elements keep the reads free of bank conflicts.
     */
#define PITCH (TILE + 4)
    LOCAL double in_a[SUMS][TILE_DEPTH][PITCH], in_b[SUMS][TILE_DEPTH][PITCH];
#if HAS_MATRIX_UNITS
    const int down = lane / 32 % 4 * 16 + lane % 32 / 4, across = lane / 128 * 32 + lane % 4 * 2;
    const int read_b = lane / 128 * 32 + lane % 32 / 4, read_k = lane % 4;
#define ROW_IN_TILE(r, c) (down + (r) / 2 * 8)
#define COLUMN_IN_TILE(r, c) (across + (r) % 2 * 16 + (c) / 2 * 8 + (c) % 2)
#else
    const int down = lane / SIDE, across = lane % SIDE;
#define ROW_IN_TILE(r, c) (down + SIDE * (r))
#define COLUMN_IN_TILE(r, c) (across + SIDE * (c))
#endif
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
            const INDEX row = first_row + wide, k = from + deep;
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
            const INDEX column = first_column + wide, k = from + deep;
            for (int t = 0; t < SUMS; t++)
                x[t] = 0;
            if (column < COLUMNS && k < last_k) {
                B_TERMS
            }
            for (int t = 0; t < SUMS; t++)
                in_b[t][deep][wide] = x[t];
        }
        BARRIER;
#if HAS_MATRIX_UNITS
#pragma unroll
        for (int k = read_k; k < TILE_DEPTH + read_k; k += 4)
#pragma unroll
            for (int t = 0; t < SUMS; t++) {
                if (t == 2 && SKIPS_LAST)
                    continue;
#pragma unroll
                for (int m = 0; m < 2; m++)
                    a[m] = in_a[t][k][down + 8 * m];
#pragma unroll
                for (int n = 0; n < 4; n++)
                    b[n] = in_b[t][k][read_b + 8 * n];
#pragma unroll
                for (int m = 0; m < 2; m++)
#pragma unroll
                    for (int n = 0; n < 4; n++)
                        add_matrix_product(&sums[t][2 * m + n / 2][n % 2 * 2], a[m], b[n]);
            }
#else
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
#endif
        BARRIER;
    }
#pragma unroll
    for (int r = 0; r < EACH; r++)
#pragma unroll
        for (int c = 0; c < EACH; c++) {
            const INDEX row = first_row + ROW_IN_TILE(r, c);
            const INDEX column = first_column + COLUMN_IN_TILE(r, c);
            const INDEX i = ELEMENT;
            if (row >= ROWS || column >= COLUMNS || i < 0)
                continue;
