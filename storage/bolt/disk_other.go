//go:build !(linux || darwin || freebsd)

package bolt

func diskFree(string) int64 { return -1 }
