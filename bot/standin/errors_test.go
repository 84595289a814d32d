package standin_test

import (
	"errors"
	"testing"

	"tengen/bot/standin"
)

func TestErrorWords(t *testing.T) {
	e := &standin.Error{Status: 400, Code: 50035, Message: "Invalid Form Body",
		Problems: []standin.Problem{{Path: "a.0", Code: "X", Message: "y"}}}
	if got := e.Error(); got != "50035 Invalid Form Body (400); a.0: X: y" {
		t.Error(got)
	}
	b, err := e.MarshalJSON()
	if err != nil || string(b) != `{"code":50035,"errors":{"a":{"0":{"_errors":[{"code":"X","message":"y"}]}}},"message":"Invalid Form Body"}` {
		t.Errorf("%s %v", b, err)
	}
	if !errors.As(error(e), new(*standin.Error)) {
		t.Error("no error")
	}
}
