"""How far the library's own choice lies behind the best method, and its predictions from what was measured."""
import statistics

from .results import median_seconds

WITHIN, WORST, SHARE, PREDICTION = 1.10, 1.30, 0.95, 0.30


def usable(row):
    """Measured, and by the method that was wanted: what the library took instead is no measurement of it."""
    if row.get("failure") or not median_seconds(row):
        return False
    return row["method"] == "auto" or row.get("taken") in (None, row["method"])


def prediction_error(row):
    predicted, measured = row.get("predicted_seconds"), median_seconds(row)
    if predicted is None or not measured:
        return None
    return abs(predicted - measured) / measured


def situation_of(result, operation):
    """One situation, reading or writing; None where auto or all forced methods are missing."""
    rows = [row for row in result["rows"] if row["operation"] == operation]
    good = {row["method"]: row for row in rows if usable(row)}
    forced = {method: median_seconds(row) for method, row in good.items() if method != "auto"}
    if "auto" not in good or not forced:
        return None
    best = min(forced, key=forced.get)
    auto = median_seconds(good["auto"])
    return {"storage": result["storage"], "pattern": result["pattern"], "ranks": result["ranks"], "operation": operation,
            "bytes": result["bytes"], "seconds": {"auto": auto, **forced}, "taken": good["auto"].get("taken"), "best": best,
            "regret": auto / forced[best],
            "predicted": {method: row["predicted_seconds"] for method, row in good.items()
                          if row.get("predicted_seconds") is not None},
            "errors": {method: error for method, row in good.items() if (error := prediction_error(row)) is not None},
            "left_out": {row["method"]: row["failure"] for row in rows if row.get("failure")}}


def left_out_for_time(situations):
    """How many pairs of a situation and a method were not measured, as they would have taken too long."""
    return sum(why.startswith("left out") for one in situations for why in one["left_out"].values())


def situations_of(results):
    found = (situation_of(result, operation) for result in results if not result["failure"]
             for operation in ("write", "read"))
    return [one for one in found if one]


def verdict(name, value, wanted, good):
    return {"name": name, "value": value, "wanted": wanted, "passed": good}


def summary_of(situations):
    """The numbers that the grid comes to, and whether they are what they must be; None of no situation."""
    if not situations:
        return None
    regrets = [one["regret"] for one in situations]
    share = sum(one <= WITHIN for one in regrets) / len(regrets)
    errors = [error for one in situations for method, error in one["errors"].items() if method != "auto"]
    chosen = [one["errors"]["auto"] for one in situations if "auto" in one["errors"]]
    median = statistics.median(errors) if errors else None
    told = f"{median:.0%}" if errors else "nothing was predicted"
    return {"situations": len(situations), "left_out": left_out_for_time(situations), "share_within": share,
            "worst": max(regrets), "median_regret": statistics.median(regrets), "prediction_error": median,
            "prediction_error_chosen": statistics.median(chosen) if chosen else None,
            "verdicts": [
                verdict("auto within 10 % of the best forced method", f"{share:.1%} of {len(regrets)} situations",
                        "at least 95 %", share >= SHARE),
                verdict("the worst situation", f"{max(regrets) - 1:+.0%}", "at most +30 %", max(regrets) <= WORST),
                verdict("median error of predicted times", told, "at most 30 %", bool(errors) and median <= PREDICTION)]}


def by(situations, name):
    """The same numbers for each value of storage, pattern, ranks or operation."""
    values = list(dict.fromkeys(one[name] for one in situations))
    return {value: summary_of([one for one in situations if one[name] == value]) for value in values}


def lines_of(summary, situations, most=10):
    """The summary as text, with the situations in which auto was furthest behind."""
    lines = [f"{'PASS' if one['passed'] else 'FAIL'}  {one['name']}: {one['value']} (wanted: {one['wanted']})"
             for one in summary["verdicts"]]
    if summary["prediction_error_chosen"] is not None:
        lines.append(f"      of what was chosen: {summary['prediction_error_chosen']:.0%}")
    lines.append("      not measured, as calls would have taken too long: "
                 f"{summary['left_out']} pairs of a situation and a method")
    behind = sorted((one for one in situations if one["regret"] > WITHIN), key=lambda one: -one["regret"])
    for one in behind[:most]:
        lines.append(f"      {one['regret'] - 1:+.0%}  {one['storage']}, {one['pattern']}, {one['ranks']} ranks, "
                     f"{one['operation']}: took {one['taken']}, best {one['best']}")
    return lines
