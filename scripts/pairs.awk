# Compares runs that were made by turns, in pairs: awk -v program=NAME -f pairs.awk RUNS_OF_THE_OWN RUNS_OF_CONCILIO
#
# A line of a file of runs is "WHAT VALUE", where WHAT is write or read (seconds) or memory (MiB a rank); the n-th line
# of a WHAT is that of the n-th turn. Prints a line for each WHAT: the median of each side with its least and most, and
# of times how often as fast the second side is.
#
# Runs of a pair follow each other, so what else a machine does meanwhile hits both or one of them, but not one side
# alone. A ratio is therefore the median of the pairs' ratios. If the sides' order differs from pair to pair, no ratio
# is printed: the difference is within the spread.

# Sorts value[1] to value[n].
function sort(value, n,   i, j, moved) {
  for (i = 2; i <= n; i++) {
    moved = value[i]
    for (j = i - 1; j >= 1 && value[j] > moved; j--) value[j + 1] = value[j]
    value[j + 1] = moved
  }
}
function median(value, n) { return n % 2 ? value[(n + 1) / 2] : (value[n / 2] + value[n / 2 + 1]) / 2 }
function with_spread(value, n) { return sprintf("%.3f (%.3f-%.3f)", median(value, n), value[1], value[n]) }

FNR == 1 { side++ }
{ runs[side, $1, ++count[side, $1]] = $2 }

END {
  split("write read memory", order)
  for (k = 1; k <= 3; k++) {
    what = order[k]
    n = count[1, what]
    if (n == 0) continue
    if (n != count[2, what]) {
      printf "%s, %s: %d runs of one side and %d of the other\n", program, what, n, count[2, what] > "/dev/stderr"
      exit 1
    }
    for (i = 1; i <= n; i++) {
      own[i] = runs[1, what, i]
      ours[i] = runs[2, what, i]
      ratio[i] = ours[i] > 0 ? own[i] / ours[i] : 0
    }
    sort(own, n)
    sort(ours, n)
    sort(ratio, n)
    if (what == "memory") {
      printf "%-14s %-18s %20.1f %20.1f\n", program, "memory, MiB a rank", median(own, n), median(ours, n)
      continue
    }
    if (ratio[1] <= 1 && ratio[n] >= 1) {
      told = "within the spread"
    } else {
      told = sprintf("%.1fx (%.1fx-%.1fx)", median(ratio, n), ratio[1], ratio[n])
    }
    printf "%-14s %-18s %20s %20s  %s\n", program, what ", s", with_spread(own, n), with_spread(ours, n), told
  }
}
