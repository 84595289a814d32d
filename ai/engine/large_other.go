//go:build !linux

package engine

import "unsafe"

func wantLarge(unsafe.Pointer, uintptr) {}
