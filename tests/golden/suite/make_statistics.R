# Compute further expected values of tests/unit/suite/test_statistics.c with R (Debian: r-base-core, r-cran-boot,
# r-cran-coin, r-cran-effectsize), over random data with ties and zeros.
#
# usage: Rscript make_statistics.R >statistics_r.json

suppressPackageStartupMessages({library(boot); library(coin)})
set.seed(20)

number <- function(x) paste(sprintf("%.17g", x), collapse = ", ")
array <- function(x) paste0("[", number(x), "]")
object <- function(...) {
    members <- list(...)
    paste0("{", paste0("\"", names(members), "\": ", unlist(members), collapse = ", "), "}")
}
arrays <- function(items) paste0("[\n  ", paste(items, collapse = ",\n  "), "\n ]")

# Wilcoxon's signed-rank test without zeros; method: exact (no ties), signs (exact with ties, by coin) or normal.
paired <- function(d, method) {
    left <- d[d != 0]
    exact <- method == "exact"
    test <- suppressWarnings(wilcox.test(left, exact = exact, correct = TRUE))
    p <- test$p.value
    if (method == "signs")
        p <- as.numeric(pvalue(wilcoxsign_test(left ~ rep(0, length(left)), distribution = "exact", zero.method = "Wilcoxon")))
    plus <- unname(test$statistic)
    effect <- effectsize::rank_biserial(d, rep(0, length(d)), paired = TRUE, ci = NULL)$r_rank_biserial
    all <- length(left) * (length(left) + 1) / 2
    object(differences = array(d), positive = number(plus), negative = number(all - plus), p = number(p), effect = number(effect))
}
continuous <- function(n, mean) signif(rnorm(n, mean), 6)
tied <- function(n, mean) round(rnorm(n, mean, 2))

holm <- function(p) object(p = array(p), corrected = array(p.adjust(p, method = "holm")))

# The percentile interval of boot: problems are drawn.
geometric <- function(ratios) {
    draws <- boot(log(ratios), function(x, i) mean(x[i]), R = 99999)
    ends <- exp(boot.ci(draws, type = "perc")$percent[4:5])
    object(groups = paste0("[", paste(sapply(ratios, array), collapse = ", "), "]"),
           mean = number(exp(mean(log(ratios)))), low = number(ends[1]), high = number(ends[2]))
}

# Problems are drawn, and the repeats of each drawn one.
nested <- function(groups) {
    logs <- lapply(groups, log)
    one <- function(i) mean(sapply(logs[sample.int(length(logs), replace = TRUE)],
                                   function(x) mean(x[sample.int(length(x), replace = TRUE)])))
    ends <- exp(quantile(sapply(1:50000, one), c(0.025, 0.975)))
    object(groups = paste0("[", paste(sapply(groups, array), collapse = ", "), "]"),
           mean = number(exp(mean(sapply(logs, mean)))), low = number(ends[1]), high = number(ends[2]))
}

student <- function(ratios) {
    test <- t.test(log(ratios))
    ends <- exp(test$conf.int)
    object(ratios = array(ratios), mean = number(exp(test$estimate)), low = number(ends[1]), high = number(ends[2]))
}

welch <- function(first, second) {
    test <- t.test(log(first), log(second))
    ends <- exp(test$conf.int)
    object(first = array(first), second = array(second), p = number(test$p.value),
           ratio = number(exp(test$estimate[1] - test$estimate[2])), low = number(ends[1]), high = number(ends[2]))
}

# Of `count` sessions `right` are right, and k are drawn without replacement: the chance that one of them is right.
success <- function(count, right, k)
    object(count = count, right = right, k = k, chance = number(1 - dhyper(0, right, count - right, k)))

quantiles <- function(x, share)
    object(samples = array(sort(x)), share = number(share), value = number(quantile(x, share, type = 7)))

ratios <- function(n, mean = 0.4, sd = 0.5) signif(rlnorm(n, mean, sd), 5)

cat("{\n")
cat(" \"made_by\": \"", R.version.string, ", boot ", format(packageVersion("boot")), ", coin ", format(packageVersion("coin")),
    ", effectsize ", format(packageVersion("effectsize")), "\",\n", sep = "")
cat(" \"paired\": ", arrays(c(
    sapply(c(1, 2, 5, 6, 12, 22, 33, 50), function(n) paired(continuous(n, 0.4), "exact")),
    sapply(c(3, 6, 10, 16, 22, 30, 45), function(n) paired(c(tied(n, 0.7), 0, 1), "signs")),
    paired(c(-1, -1, -1, 0), "signs"), paired(c(0.25, -0.25), "signs"),
    sapply(c(51, 90, 200), function(n) paired(continuous(n, -0.2), "normal")),
    sapply(c(80, 120, 300), function(n) paired(c(tied(n, 0.3), 0, 0), "normal")))), ",\n", sep = "")
cat(" \"holm\": ", arrays(c(
    sapply(c(1, 2, 3, 6, 10, 40), function(n) holm(signif(runif(n)^3, 6))),
    holm(c(0.02, 0.02, 0.02, 0.5)), holm(c(1, 1, 0.4)), holm(c(0, 0.05, 0.01, 0.05, 0)), holm(round(runif(15) / 5, 2)))),
    ",\n", sep = "")
cat(" \"geometric\": ", arrays(sapply(c(3, 5, 11, 22, 60), function(n) geometric(ratios(n)))), ",\n", sep = "")
cat(" \"nested\": ", arrays(sapply(c(3, 8, 15), function(n) nested(lapply(1:n, function(i) ratios(1 + i %% 4))))), ",\n", sep = "")
cat(" \"student\": ", arrays(sapply(c(2, 3, 4, 9, 30), function(n) student(ratios(n)))), ",\n", sep = "")
cat(" \"welch\": ", arrays(mapply(function(n, m) welch(ratios(n), ratios(m, 0.6, 0.2)), c(2, 2, 3, 5, 20), c(2, 7, 3, 4, 50))),
    ",\n", sep = "")
cat(" \"success\": ", arrays(mapply(success, c(1, 3, 3, 3, 5, 10, 20, 100, 198), c(1, 0, 1, 2, 5, 3, 19, 1, 60),
    c(1, 3, 2, 3, 4, 10, 2, 50, 17))), ",\n", sep = "")
cat(" \"quantile\": ", arrays(mapply(function(n, share) quantiles(round(rnorm(n), 1), share), c(1, 2, 3, 4, 7, 20, 61),
    c(0.5, 0.5, 0.5, 0.5, 0.025, 0.975, 0.25))), "\n", sep = "")
cat("}\n")
