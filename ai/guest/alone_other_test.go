//go:build !linux

package guest

func host() {}
