//go:build !race

package render

import "testing"

func slow(*testing.T) {}
