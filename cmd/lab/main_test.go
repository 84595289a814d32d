package main

import (
	"os"
	"testing"

	"tengen/internal/testguest"
)

func TestMain(m *testing.M) {
	testguest.Main()
	os.Exit(m.Run())
}
