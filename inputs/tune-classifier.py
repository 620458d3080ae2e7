#!/usr/bin/python3
"""Train a classifier with given hyperparameters and report its accuracy: the simulation of tune-*.yaml.

  tune-classifier.py PARAMS RESULTS forest|perceptron|boosting [--data DATA] [--fold N]

PARAMS holds lines "name value"; RESULTS gets the line "accuracy", as the objective: the share of the
data that is classified correctly, by classifiers trained on the other four of five folds. With --fold
(0 .. 4) that fold alone is judged. Everything random has a fixed seed: the same hyperparameters give
the same accuracy.

DATA is bundled with scikit-learn: breast-cancer (569 cases, the default), diabetes (442 patients; is the
disease worse after a year than for the median patient?), or digits (the first 600 images; is the digit odd?).

The three tasks and their hyperparameters are those of Global Optimization with Parametric Function
Approximation (Liu, Wang 2023), appendix D.2, whose data sets are Breast-cancer, Australian and Diabetes
(another one, of 768 cases); the latter two are not part of scikit-learn. Needs scikit-learn (Debian:
python3-sklearn).
"""
import argparse
import os
import sys
import warnings

FOLDS = 5


def whole(text):
    return int(text)


def truth(text):
    if text not in ("true", "false"):
        raise ValueError("expected true or false")
    return text == "true"


FOREST = {"n_estimators": whole, "criterion": str, "max_depth": whole, "min_samples_split": whole,
          "min_samples_leaf": whole, "max_features": str, "bootstrap": truth}
PERCEPTRON = {"activation": str, "alpha": float, "learning_rate_init": float, "max_iter": whole,
              "shuffle": truth, "beta_1": float, "beta_2": float, "n_iter_no_change": whole}
BOOSTING = {"loss": str, "learning_rate": float, "n_estimators": whole, "subsample": float,
            "criterion": str, "min_samples_split": whole, "min_samples_leaf": whole,
            "min_weight_fraction_leaf": float, "max_depth": whole, "max_features": str,
            "max_leaf_nodes": whole}
DATA = ("breast-cancer", "diabetes", "digits")
TASKS = {"forest": FOREST, "perceptron": PERCEPTRON, "boosting": BOOSTING}


def read_parameters(path, expected):
    values = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            name, _, text = line.strip().partition(" ")
            if not name:
                continue
            if name not in expected:
                sys.exit(f"{path}: unknown hyperparameter '{name}'; known: {' '.join(expected)}")
            try:
                values[name] = expected[name](text)
            except ValueError as reason:
                sys.exit(f"{path}: {name} = '{text}': {reason}")
    missing = [name for name in expected if name not in values]
    if missing:
        sys.exit(f"{path}: missing: {' '.join(missing)}")
    return values


def classifier(task, values):
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
    from sklearn.neural_network import MLPClassifier

    kind = {"forest": RandomForestClassifier, "perceptron": MLPClassifier,
            "boosting": GradientBoostingClassifier}[task]
    return kind(random_state=0, **values)


def cases(data):
    """The inputs of all cases, and their two classes."""
    from sklearn import datasets

    if data == "breast-cancer":
        return datasets.load_breast_cancer(return_X_y=True)
    if data == "diabetes":
        x, progress = datasets.load_diabetes(return_X_y=True)
        return x, (progress > sorted(progress)[len(progress) // 2]).astype(int)
    x, digit = datasets.load_digits(return_X_y=True)
    return x[:600], digit[:600] % 2


def accuracy(task, values, data, folds):
    from sklearn.model_selection import StratifiedKFold

    x, y = cases(data)
    parts = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(x, y))
    shares = [classifier(task, values).fit(x[parts[k][0]], y[parts[k][0]])
              .score(x[parts[k][1]], y[parts[k][1]]) for k in folds]
    return sum(shares) / len(shares)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("params")
    parser.add_argument("results")
    parser.add_argument("task", choices=TASKS)
    parser.add_argument("--data", choices=DATA, default=DATA[0])
    parser.add_argument("--fold", type=int, choices=range(FOLDS), help="judge this fold alone")
    arguments = parser.parse_args()
    values = read_parameters(arguments.params, TASKS[arguments.task])
    folds = range(FOLDS) if arguments.fold is None else [arguments.fold]
    warnings.simplefilter("ignore")  # a training that has not converged is judged as it is
    share = accuracy(arguments.task, values, arguments.data, folds)
    part = arguments.results + ".part"
    with open(part, "w", encoding="utf-8") as file:
        file.write(f"objective {share:.17g}\n")
    os.replace(part, arguments.results)


if __name__ == "__main__":
    main()
