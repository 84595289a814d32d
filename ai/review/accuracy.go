package review

import (
	"math"

	"tengen/game"
)

// sides counts the faults of both sides and rates their accuracy as lichess does: each move
// by its fall, moves in unsteady stretches weighing more.
func sides(plies []Ply) [2]Side {
	var sides [2]Side
	var accuracies, weights [2][]float64
	steady := volatility(plies)
	for i, p := range plies {
		c := p.By - game.Black
		switch p.Class {
		case Inaccuracy:
			sides[c].Inaccuracy++
		case Mistake:
			sides[c].Mistake++
		case Blunder:
			sides[c].Blunder++
		case Opening:
			continue
		}
		accuracies[c] = append(accuracies[c], moveAccuracy(float64(p.Before-p.After)/10))
		weights[c] = append(weights[c], steady[i])
	}
	for c := range sides {
		sides[c].Accuracy = math.Round(10*sideAccuracy(accuracies[c], weights[c])) / 10
	}
	return sides
}

// moveAccuracy is the accuracy of a move whose expectation fell by so many hundredths.
func moveAccuracy(fall float64) float64 {
	if fall <= 0 {
		return 100
	}
	const allowance = 1 // for the noise of the engine
	a := 103.1668100711649*math.Exp(-0.04354415386753951*fall) - 3.166924740191411 + allowance
	return min(max(a, 0), 100)
}

// sideAccuracy is the mean of the weighted arithmetic and of the harmonic mean.
func sideAccuracy(accuracies, weights []float64) float64 {
	if len(accuracies) == 0 {
		return 100
	}
	sum, all, inverse := 0.0, 0.0, 0.0
	for i, a := range accuracies {
		sum += a * weights[i]
		all += weights[i]
		inverse += 1 / max(a, 1)
	}
	return (sum/all + float64(len(accuracies))/inverse) / 2
}

// volatility is how much each move weighs: the standard deviation of black's expectation, in
// hundredths, in a window of the game.
func volatility(plies []Ply) []float64 {
	if len(plies) == 0 {
		return nil
	}
	values := BlackView(plies)
	size := min(max(len(plies)/10, 2), 8, len(values))
	weights := make([]float64, len(plies))
	for i := range weights {
		from := max(0, i-(size-2)) // the first window serves the first moves
		weights[i] = min(max(deviation(values[from:from+size]), 0.5), 12)
	}
	return weights
}

// BlackView is black's expectation in hundredths before the first move and after each.
func BlackView(plies []Ply) []float64 {
	view := func(p Ply, e Expectation) float64 {
		if p.By == game.White {
			e = 1000 - e
		}
		return float64(e) / 10
	}
	values := []float64{}
	for i, p := range plies {
		if i == 0 {
			values = append(values, view(p, p.Before))
		}
		values = append(values, view(p, p.After))
	}
	return values
}

func deviation(values []float64) float64 {
	mean, sum := 0.0, 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		sum += (v - mean) * (v - mean)
	}
	return math.Sqrt(sum / float64(len(values)))
}
