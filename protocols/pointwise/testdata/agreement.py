"""Writes agreement.json: scores of two raters, and the statistics that published packages give for them.

pip install numpy scipy scikit-learn pingouin; python agreement.py > agreement.json
"""
import json, sys
import numpy, scipy, sklearn, pingouin, pandas
from scipy import stats
from sklearn import metrics

rng = numpy.random.default_rng(7)


def statistics(people, judge):
    x, y = numpy.array(people, float), numpy.array(judge, float)
    long = pandas.DataFrame({"item": list(range(len(x))) * 2, "rater": ["p"] * len(x) + ["j"] * len(x),
                             "score": numpy.concatenate([x, y])})
    icc = pingouin.intraclass_corr(long, "item", "rater", "score")
    out = {
        "spearman": stats.spearmanr(x, y).statistic, "kendall": stats.kendalltau(x, y).statistic,
        "pearson": stats.pearsonr(x, y).statistic,
        "icc": float(icc[icc["Type"].isin(["ICC2", "ICC(A,1)"])]["ICC"].iloc[0]),
        "mae": metrics.mean_absolute_error(x, y), "bias": float(numpy.mean(y - x)),
    }
    if (x == x.round()).all() and (y == y.round()).all():
        out["weighted-kappa"] = metrics.cohen_kappa_score(x.astype(int), y.astype(int), weights="quadratic")
    if set(x) == {0, 1}:
        out["brier"] = metrics.brier_score_loss(x, y)
    if set(x) == {0, 1} and set(y) == {0, 1}:
        out["accuracy"] = metrics.accuracy_score(x, y)
        out["balanced-accuracy"] = metrics.balanced_accuracy_score(x, y)
        out["weighted-kappa"] = metrics.cohen_kappa_score(x, y)
    return {k: float(v) for k, v in out.items()}


def levels(n, low, high, noise):
    quality = rng.normal(size=n)
    on_scale = lambda z: numpy.clip(numpy.round((low + high) / 2 + z * (high - low) / 4), low, high)
    return on_scale(quality), on_scale(quality + noise * rng.normal(size=n) + 0.3)


cases = {
    "five levels": levels(30, 1, 5, 0.7),
    "ten levels": levels(200, 1, 10, 1.2),
    "means of three": (numpy.mean([levels(60, 1, 5, 1)[0] for _ in range(3)], axis=0), levels(60, 1, 5, 1)[0]),
    "yes and no": levels(80, 0, 1, 0.8),
    "unlike": (numpy.arange(12.0), numpy.arange(12.0)[::-1]),
    "probabilities of yes": (numpy.tile([1.0, 0, 0, 1, 1], 8), rng.uniform(size=40).round(3)),
}
print(json.dumps({
    "versions": {m.__name__: m.__version__ for m in (numpy, scipy, sklearn, pingouin)},
    "cases": {name: {"people": list(map(float, x)), "judge": list(map(float, y)), "statistics": statistics(x, y)}
              for name, (x, y) in cases.items()},
}, indent=1))
