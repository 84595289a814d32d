package standin

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Error is an error answer as Discord gives it.
type Error struct {
	Status   int
	Code     int
	Message  string
	Problems []Problem // for code 50035
}

// Problem is one fault of a body: its place, a code, and words.
type Problem struct {
	Path    string `json:"path"` // keys joined by dots, as data.components.0.custom_id
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (p Problem) String() string {
	if p.Path == "" {
		return p.Code + ": " + p.Message
	}
	return p.Path + ": " + p.Code + ": " + p.Message
}

// Error is the error with its problems in a line.
func (e *Error) Error() string {
	s := fmt.Sprintf("%d %s (%d)", e.Code, e.Message, e.Status)
	for _, p := range e.Problems {
		s += "; " + p.String()
	}
	return s
}

// MarshalJSON gives the body that Discord sends.
func (e *Error) MarshalJSON() ([]byte, error) {
	m := map[string]any{"message": e.Message, "code": e.Code}
	if len(e.Problems) > 0 {
		m["errors"] = problemTree(e.Problems)
	}
	return json.Marshal(m)
}

// problemTree nests problems by their path; at each leaf is a list "_errors".
func problemTree(problems []Problem) map[string]any {
	root := map[string]any{}
	for _, p := range problems {
		at := root
		if p.Path != "" {
			for _, key := range strings.Split(p.Path, ".") {
				next, ok := at[key].(map[string]any)
				if !ok {
					next = map[string]any{}
					at[key] = next
				}
				at = next
			}
		}
		list, _ := at["_errors"].([]any)
		at["_errors"] = append(list, map[string]string{"code": p.Code, "message": p.Message})
	}
	return root
}

var (
	errUnauthorized       = apiError(401, 0, "401: Unauthorized")
	errNotFound           = apiError(404, 0, "404: Not Found")
	errMethod             = apiError(405, 0, "405: Method Not Allowed")
	errUnknownApp         = apiError(404, 10002, "Unknown Application")
	errUnknownChannel     = apiError(404, 10003, "Unknown Channel")
	errUnknownGuild       = apiError(404, 10004, "Unknown Guild")
	errUnknownMember      = apiError(404, 10007, "Unknown Member")
	errUnknownMessage     = apiError(404, 10008, "Unknown Message")
	errUnknownUser        = apiError(404, 10013, "Unknown User")
	errUnknownWebhook     = apiError(404, 10015, "Unknown Webhook")
	errUnknownInteraction = apiError(404, 10062, "Unknown interaction")
	errOldEdits           = apiError(429, 30046,
		"Maximum number of edits to messages older than 1 hour reached. Try again later.")
	errTooLarge      = apiError(413, 40005, "Request entity too large")
	errAcknowledged  = apiError(400, 40060, "Interaction has already been acknowledged.")
	errManyFollowUps = apiError(400, 40094,
		"This interaction has reached the maximum number of follow-up messages.")
	errBlocked      = apiError(403, 40333, "internal network error")
	errFilesRefused = apiError(403, 400001,
		"Access to file uploads has been limited for this guild")
	errMissingAccess     = apiError(403, 50001, "Missing Access")
	errNotAuthor         = apiError(403, 50005, "Cannot edit a message authored by another user")
	errEmpty             = apiError(400, 50006, "Cannot send an empty message")
	errCannotSendUser    = apiError(403, 50007, "Cannot send messages to this user")
	errMissingPermission = apiError(403, 50013, "Missing Permissions")
	errWebhookToken      = apiError(401, 50027, "Invalid Webhook Token")
	errBadJSON           = apiError(400, 50109, "The request body contains invalid JSON.")
	errChannelType       = apiError(400, 50024, "Cannot execute action on this channel type")
	errEntryPoint        = apiError(400, 50240, "You cannot remove this app's Entry Point command in a "+
		"bulk update operation. Please include the Entry Point command in your update request or delete it separately.")
	errArchived     = apiError(400, 50083, "Thread is archived")
	errLocked       = apiError(400, 160005, "Thread is locked")
	errManyThreads  = apiError(400, 160006, "Maximum number of active threads reached")
	errThreadExists = apiError(400, 160004,
		"A thread has already been created for this message")
)

func apiError(status, code int, words string) *Error { return &Error{status, code, words, nil} }

func invalidForm(problems ...Problem) *Error {
	return &Error{400, 50035, "Invalid Form Body", problems}
}

// problems collects the faults of one body.
type problems struct {
	list []Problem
}

func (p *problems) add(path, code, format string, args ...any) {
	p.list = append(p.list, Problem{path, code, fmt.Sprintf(format, args...)})
}

// length refuses a text of fewer than min or more than max characters.
func (p *problems) length(path, s string, min, max int) {
	n := characters(s)
	switch {
	case n == 0 && min > 0:
		p.add(path, "BASE_TYPE_REQUIRED", "This field is required")
	case n < min || n > max:
		if min > 0 {
			p.add(path, "BASE_TYPE_BAD_LENGTH", "Must be between %d and %d in length.", min, max)
		} else {
			p.add(path, "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", max)
		}
	}
}

func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	sort.SliceStable(p.list, func(i, j int) bool { return p.list[i].Path < p.list[j].Path })
	return invalidForm(p.list...)
}

func join(path string, keys ...any) string {
	for _, k := range keys {
		s := ""
		switch k := k.(type) {
		case string:
			s = k
		case int:
			s = strconv.Itoa(k)
		}
		if path != "" {
			path += "."
		}
		path += s
	}
	return path
}

func characters(s string) int { return utf8.RuneCountInString(s) }
