// Package notice has the things looked after that stand in channels, such as ladders: how many at one time, and when
// one that failed is tried again. Package outbox sends their messages.
package notice
