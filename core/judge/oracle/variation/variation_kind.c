#include "core/judge/oracle/variation/variation_kind.h"

#include <stdbool.h>
#include <string.h>

static const struct {
    const char *name, *meaning;
} texts[VARIATION_COUNT] = {
    [VARIATION_NONE] = {"", ""},
    [VARIATION_OUTLIERS] = {"outliers",
                            "One element of most rows of the inputs is 64 times as large: the "
                            "first, the last or any other."},
    [VARIATION_TIES] = {"ties, sorted rows and rows of zeros",
                        "Many elements of the inputs are equal or differ in their last bits only, "
                        "every other row is sorted, and one of four rows or matrices is zero."},
    [VARIATION_SORTED] = {"ties and sorted rows",
                          "Many elements of the inputs are equal or differ in their last bits "
                          "only, and every other row is sorted."},
    [VARIATION_EVEN] = {"equal elements, sorted rows and rows of zeros",
                        "Many elements of the inputs are equal, every other row is sorted, and one "
                        "of four rows or matrices is zero."},
    [VARIATION_CONSTANT] = {"constant rows and rows near zero",
                            "All elements of every other row of the inputs are equal, and one of "
                            "four rows is 2^100 times smaller."},
    [VARIATION_NEGATIVE] = {"negative rows",
                            "No element is positive in every other row or matrix of the inputs, "
                            "and in the first half of each remaining row; half of each param that "
                            "is a vector is negative."},
    [VARIATION_HUGE] = {"huge numbers",
                        "Rows of the inputs are 16, 512 and 65536 times as large, in turn, and the "
                        "first and the last row of each param 16 times."},
    [VARIATION_VAST] = {"very large numbers",
                        "Rows of the inputs are 16 and 512 times as large, in turn, and the first "
                        "and the last row of each param 16 times."},
    [VARIATION_LARGE] = {"large numbers",
                         "The inputs are 16 times as large, and so are the first and the last row "
                         "of each param."},
    [VARIATION_WIDE] = {"inputs of large numbers", "The inputs are 16 times as large."},
    [VARIATION_TENS] = {"numbers up to ten",
                        "The largest element of each row of the inputs is 10 or -10."},
    [VARIATION_SMALL] = {"small numbers",
                         "Rows of the inputs are smaller by factors from 4 to 2^20, in turn."},
    [VARIATION_TINY] = {"tiny numbers",
                        "The inputs, and params that are vectors, are 2^20 times smaller."},
    [VARIATION_FAR] = {"rows very far from zero",
                       "Rows of the inputs lie far below and far above zero, in turn: by ten "
                       "times their range, and by a thousand times."},
    [VARIATION_MOVED] = {"rows far from zero",
                         "Rows of the inputs lie far below and far above zero, in turn: by ten "
                         "times their range."},
    [VARIATION_FAR_COLUMNS] = {"columns very far from zero",
                               "The first half of each row of the inputs lies far below zero and "
                               "the other half far above: by ten times their range, and the first "
                               "and the last element by a thousand times; params lie far above."},
    [VARIATION_MOVED_COLUMNS] =
        {"columns far from zero",
         "The first half of each row of the inputs lies far below zero and "
         "the other half far above: by ten times their range; params lie far "
         "above."},
    [VARIATION_PEAKS] = {"peaks", "One element of each row of the inputs, in each row another one, "
                                  "is so much larger than the others that their exponentials are "
                                  "tiny."},
    [VARIATION_DEEP] = {"deep rows with one peak",
                        "All elements of the inputs lie below -16000, and one of each row lies so "
                        "far above the others that their exponentials are negligible."},
    [VARIATION_DEEP_COLUMNS] = {"deep columns with one peak",
                                "All elements of the inputs lie below -16000, and one of each "
                                "column lies so far above the others that their exponentials are "
                                "negligible."},
    [VARIATION_ENDS] = {"ends of ranges",
                        "Integers of the inputs are the least or the largest of their range, real "
                        "numbers of one sign come near the ends of theirs, and rows of masks are "
                        "all true, all false, or all but one alike."},
    [VARIATION_END_COLUMNS] = {"columns at the ends of ranges",
                               "One of every four columns of integers holds the largest number of "
                               "its range in all rows, and one the least; of masks, one is all "
                               "true and one all false."},
    [VARIATION_WINNERS] = {"indices of the largest",
                           "Each index names the largest or the least element of its row."},
    [VARIATION_ALIKE] = {"elements that are mostly alike",
                         "Most elements of a row are alike: it is zero but for few elements of its "
                         "second half, or one number but for few elements, or its first half is "
                         "sorted."},
    [VARIATION_ALIKE_AGAIN] = {"elements that are mostly alike, again",
                               "Most elements of a row are alike, and most rows are those of a "
                               "trial before: they are zero but for few elements of the second "
                               "half, or one number but for few elements, or the first half is "
                               "sorted."},
    [VARIATION_FARTHEST] = {"rows at all distances from zero",
                            "Rows of the inputs lie far below and far above zero, in turn: by ten "
                            "times their range, by a thousand times and by a million times."},
    [VARIATION_ROUND] = {"numbers near round ones",
                         "Elements of the inputs are 0, 0.5 and small whole numbers, or lie very "
                         "near them, and one of four rows is nearly the same in all inputs."},
    [VARIATION_MINUTE] = {"small and minute numbers",
                          "Rows of the inputs are smaller by factors from 4 to 2^30, in turn."},
    [VARIATION_OPPOSITE_COLUMNS] =
        {"columns far from zero, oppositely",
         "One half of each row of the inputs lies far below zero and the other half far above: by "
         "ten times their range, in some inputs the first half and in others the last, so that "
         "products of rows lie far below zero."},
    [VARIATION_NEAR] = {"inputs that are nearly the same",
                        "All inputs hold nearly the same numbers, so that the difference of any "
                        "two is small in all rows."},
    [VARIATION_SURE] = {"indices of elements that stand out",
                        "Each index names the largest element of its row, which is larger than all "
                        "others by 8 or more."},
    [VARIATION_ALONE] = {"one tensor of huge numbers",
                         "Rows of one tensor alone, an input or a param, are 16, 512 and 2^17 "
                         "times as large, in turn, and half of them have one sign."},
    [VARIATION_ALONE_VAST] = {"one tensor of very large numbers",
                              "Rows of one tensor alone, an input or a param, are 16 and 512 times "
                              "as large, in turn."},
    [VARIATION_ALONE_WIDE] = {"one tensor of large numbers",
                              "One tensor alone, an input or a param, is 16 times as large."},
    [VARIATION_LEAST] = {"least whole numbers",
                         "All whole numbers and masks are the low end of their range."},
    [VARIATION_MOST] = {"largest whole numbers",
                        "All whole numbers and masks are the high end of their range."},
};

const char *variation_name(enum variation variation)
{
    return texts[variation].name;
}

/* True if the text is the name, or ends with it after the dimensions. */
static bool is_of(const char *trial, const char *name)
{
    size_t len = strlen(trial), name_len = strlen(name);

    if (len < name_len || strcmp(trial + len - name_len, name) != 0)
        return false;
    return len == name_len ||
           (len > name_len + 2 && memcmp(trial + len - name_len - 2, ", ", 2) == 0);
}

const char *variation_meaning(const char *trial)
{
    for (int v = VARIATION_NONE + 1; v < VARIATION_COUNT; v++)
        if (is_of(trial, texts[v].name))
            return texts[v].meaning;
    return "";
}
