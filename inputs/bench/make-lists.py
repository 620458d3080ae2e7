#!/usr/bin/python3
"""Write a suite whose problems are to choose from lists of designs, and the lists.

  make-lists.py DIRECTORY [--designs N] [--classifiers NAME ..] [--methods NAME,..]
  mpirun -n 2 gannet bench DIRECTORY/lists.yaml

tune-CLASSIFIER-DATA.csv: N (200) random settings of each classifier of ../tune-classifier.py, with the
accuracy on one fold of each data set, as in tabulated benchmarks: the best of a list is known, and a run
takes seconds. The same tasks in their boxes are part of go-ucb.yaml. retrieval.csv: the 1797 images of scikit-learn's digits as vectors of
64 counts, with three columns of scores: how well each image matches one of three targets, which are left out.

The score is that of Neural-BO's retrieval of documents, section 3.5.3.2: the hierarchical F1 of two members
of a tree with 6, 64 and 464 classes on three levels. The tree is Ward's clustering of the images. The classes
of an image are then one on each level, and F1 is the share of the levels on which both are in the same class.

Needs scikit-learn (Debian: python3-sklearn), no network, and about six minutes of one core.
"""
import argparse
import csv
import importlib.util
import os
import random
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
LEVELS = (6, 64, 464)
TARGETS = 3
METHODS = "auto,neural-bo,go-ucb,gp-ei,gp-ucb,gp-ts,turbo-1,forest-ei,random"
RANGES = {
    "forest": {"n_estimators": (20, 200), "criterion": ["gini", "entropy", "log_loss"], "max_depth": (1, 10),
               "min_samples_split": (2, 10), "min_samples_leaf": (1, 10), "max_features": ["sqrt", "log2"],
               "bootstrap": ["false", "true"]},
    "perceptron": {"activation": ["identity", "logistic", "tanh", "relu"], "alpha": (1e-6, 1e-2, "log"),
                   "learning_rate_init": (1e-6, 1e-2, "log"), "max_iter": (100, 300), "shuffle": ["false", "true"],
                   "beta_1": (0.001, 0.999), "beta_2": (0.001, 0.999), "n_iter_no_change": (1, 10)},
    "boosting": {"loss": ["log_loss", "exponential"], "learning_rate": (0.001, 0.999), "n_estimators": (20, 200),
                 "subsample": (0.01, 0.999), "criterion": ["friedman_mse", "squared_error"],
                 "min_samples_split": (2, 10), "min_samples_leaf": (1, 10), "min_weight_fraction_leaf": (0.0, 0.499),
                 "max_depth": (1, 10), "max_features": ["sqrt", "log2"], "max_leaf_nodes": (2, 10)},
}


def classifiers():
    path = os.path.join(HERE, "..", "tune-classifier.py")
    spec = importlib.util.spec_from_file_location("tune_classifier", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def draw(domain, numbers):
    """One random value as the text that a list and a simulation have."""
    if isinstance(domain, list):
        return numbers.choice(domain)
    lower, upper = domain[:2]
    if len(domain) == 3:
        return f"{lower * (upper / lower) ** numbers.random():.6g}"
    if isinstance(lower, int):
        return str(numbers.randint(lower, upper))
    return f"{numbers.uniform(lower, upper):.6g}"


def write(path, header, rows):
    part = path + ".part"
    with open(part, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(header)
        table.writerows(rows)
    os.replace(part, path)


def tuning(directory, names, designs):
    """Write the lists of all classifiers and data sets, and return these pairs."""
    tune = classifiers()
    for task in names:
        ranges = RANGES[task]
        numbers = random.Random(1)
        settings = [{name: draw(domain, numbers) for name, domain in ranges.items()} for _ in range(designs)]
        for data in tune.DATA:
            path = os.path.join(directory, f"tune-{task}-{data}.csv")
            if os.path.exists(path):
                continue
            kinds = tune.TASKS[task]
            scores = [tune.accuracy(task, {name: kinds[name](text) for name, text in one.items()}, data, [0])
                      for one in settings]
            write(path, [*ranges, "score"],
                  [[*one.values(), f"{score:.17g}"] for one, score in zip(settings, scores)])
    return [(task, data) for task in names for data in tune.DATA]


def retrieval(directory):
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.datasets import load_digits

    images = load_digits().data
    classes = [AgglomerativeClustering(n_clusters=n).fit_predict(images) for n in LEVELS]
    sizes = [sum(classes[-1] == kind) for kind in classes[-1]]
    targets = [i for i in range(len(images)) if sizes[i] == 5][:TARGETS]  # four others match in full
    rows = [[int(x) for x in images[i]] +
            [f"{sum(level[i] == level[t] for level in classes) / len(LEVELS):.17g}" for t in targets]
            for i in range(len(images)) if i not in targets]
    write(os.path.join(directory, "retrieval.csv"),
          [f"x{k}" for k in range(images.shape[1])] + [f"score{j + 1}" for j in range(len(targets))], rows)


def column(path, name):
    with open(path, encoding="utf-8", newline="") as file:
        return [row[name] for row in csv.DictReader(file)]


def domain(values):
    if isinstance(values, list):
        boolean = values == ["false", "true"]
        return "{type: boolean}" if boolean else f"{{type: categorical, values: [{', '.join(values)}]}}"
    kind = "type: integer, " if isinstance(values[0], int) else ""
    scale = ", scale: log" if len(values) == 3 else ""
    return f"{{{kind}lower: {values[0]}, upper: {values[1]}{scale}}}"


def problem(directory, name, file, score, variables, budget):
    best = max(float(text) for text in column(os.path.join(directory, file), score))
    lines = [f"  {name}:", "    goal: maximize", f"    candidates: {file}", "    variables:"]
    lines += [f"      {variable}: {text}" for variable, text in variables.items()]
    lookup = os.path.join(HERE, "lookup.sh")
    command = f'["{lookup}", "{{params}}", "{{results}}", "{{input_directory}}/{file}", {score}]'
    lines += [f"    evaluate: {{backend: command, command: {command}}}",
              f"    optimum: {best:.17g}", f"    budget: {budget}"]
    return lines


def suite(directory, tasks, methods):
    lines = ["# Written by inputs/bench/make-lists.py.", "name: lists", "runs: 10", "initial: 8",
             "measures: [cumulative, simple]", "problems:"]
    image = {f"x{k}": "{lower: 0, upper: 16}" for k in range(64)}
    for j in range(1, TARGETS + 1):
        lines += problem(directory, f"retrieval-{j}", "retrieval.csv", f"score{j}", image, 100)
    for task, data in tasks:
        variables = {name: domain(values) for name, values in RANGES[task].items()}
        lines += problem(directory, f"{task}-{data}", f"tune-{task}-{data}.csv", "score", variables, 30)
    lines += [f"methods: [{', '.join(methods)}]", ""]
    with open(os.path.join(directory, "lists.yaml"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory")
    parser.add_argument("--designs", type=int, default=200, help="settings per classifier")
    parser.add_argument("--classifiers", nargs="+", choices=RANGES, default=list(RANGES))
    parser.add_argument("--methods", default=METHODS, help="what the suite compares")
    arguments = parser.parse_args()
    os.makedirs(arguments.directory, exist_ok=True)
    warnings.simplefilter("ignore")  # a training that has not converged is judged as it is
    retrieval(arguments.directory)
    tasks = tuning(arguments.directory, arguments.classifiers, arguments.designs)
    suite(arguments.directory, tasks, arguments.methods.split(","))


if __name__ == "__main__":
    main()
