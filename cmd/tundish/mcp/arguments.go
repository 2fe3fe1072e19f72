package mcp

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tundish-go/tundish/domain"
)

// The types that arguments have, as a schema names them.
const (
	typeString  = "string"
	typeInteger = "integer"
	typeBoolean = "boolean"
	typeArray   = "array"
)

// decode reads the arguments. What is no object is a fault of the protocol; what does
// not fit the schema is told to the model, which can mend it (MCP-5). It checks by
// itself: a validator's words name neither the argument nor what to do.
func decode[In any](given json.RawMessage, schema *jsonschema.Schema, input *In) (*sdk.CallToolResult, error) {
	if len(given) == 0 || string(given) == "null" {
		given = json.RawMessage("{}")
	}
	var texts map[string]json.RawMessage
	if err := json.Unmarshal(given, &texts); err != nil || texts == nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "arguments is not an object"}
	}
	respelled, err := fit(texts, schema)
	if err != nil {
		return failure(err), nil
	}
	if respelled {
		given = json.RawMessage(compact(texts))
	}
	if err := json.Unmarshal(given, input); err != nil {
		return failure(invalid("the tool's input schema says what it takes", "the arguments do not fit: %v", err)), nil
	}
	return nil, nil
}

// fit checks the arguments, and spells integers as Go reads them. An argument that is
// null counts as left out, where it is not a value like any other: hosts send that.
func fit(texts map[string]json.RawMessage, schema *jsonschema.Schema) (respelled bool, err error) {
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		property := schema.Properties[name]
		switch {
		case property == nil:
			return false, invalid("leave it out; "+takes(schema), "there is no argument %q", domain.Shorten(name))
		case property.Type == "": // any value will do, even one that Go cannot hold
			continue
		case string(texts[name]) == "null":
			delete(texts, name)
			continue
		}
		spelled, wrong := spell(property.Type, texts[name])
		if wrong != "" {
			return false, invalid(give(property), "%s %s %s", name, domain.Shorten(string(texts[name])), wrong)
		}
		if spelled != "" {
			texts[name], respelled = json.RawMessage(spelled), true
		}
	}
	for _, name := range schema.Required {
		if texts[name] == nil {
			return false, invalid(give(schema.Properties[name]), "%s is missing", name)
		}
	}
	return respelled, nil
}

// spell checks a value. It is spelled as it came if what comes back is empty.
func spell(kind string, text json.RawMessage) (spelled, wrong string) {
	if is := kindOf(text); is != kind && (is != "number" || kind != typeInteger) {
		return "", "is " + article(is)
	}
	switch kind {
	case typeString:
		return "", garbled(text)
	case typeInteger:
		return whole(text)
	case typeArray:
		var values []json.RawMessage
		if err := json.Unmarshal(text, &values); err != nil {
			return "", "cannot be read"
		}
		for i, value := range values {
			one, wrong := spell(typeInteger, value)
			if wrong != "" {
				return "", "holds " + domain.Shorten(string(value)) + ", which " + wrong
			}
			if one != "" {
				values[i] = json.RawMessage(one)
			}
		}
		return compact(values), ""
	}
	return "", ""
}

// whole reads an integer, which JSON also lets be written as 17.0 or 1e3.
func whole(text json.RawMessage) (spelled, wrong string) {
	if _, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return "", ""
	}
	const exact = 1 << 53 // up to which floating point holds each integer
	switch value, err := strconv.ParseFloat(string(text), 64); {
	case err == nil && value != math.Trunc(value):
		return "", "is not an integer"
	case err != nil || math.Abs(value) > exact:
		return "", "is out of range"
	default:
		return strconv.FormatInt(int64(value), 10), ""
	}
}

// garbled tells whether a text is no Unicode: Go would put another character in the
// place of what it cannot read.
func garbled(text json.RawMessage) string {
	const replacement = "\uFFFD"
	var read string
	err := json.Unmarshal(text, &read)
	if meant := bytes.Count(text, []byte(replacement)) + bytes.Count(bytes.ToLower(text), []byte(`\ufffd`)); err != nil ||
		!utf8.Valid(text) || strings.Count(read, replacement) > meant {
		return "holds half of a character"
	}
	return ""
}

// kindOf is the type of a value, by how it begins.
func kindOf(text json.RawMessage) string {
	switch text[0] {
	case '"':
		return typeString
	case '[':
		return typeArray
	case '{':
		return "object"
	case 't', 'f':
		return typeBoolean
	case 'n':
		return "null"
	}
	return "number"
}

func article(kind string) string {
	switch kind {
	case "null":
		return "no value"
	case typeArray, typeInteger, "object":
		return "an " + kind
	}
	return "a " + kind
}

// give is what to do about an argument that is missing or wrong.
func give(property *jsonschema.Schema) string {
	what := "any value"
	switch property.Type {
	case "":
	case typeArray:
		what = "an array of integers"
	case typeBoolean:
		what = "true or false"
	default:
		what = article(property.Type)
	}
	return "give " + what + " (" + property.Description + ")"
}

func takes(schema *jsonschema.Schema) string {
	if len(schema.PropertyOrder) == 0 {
		return "the tool takes no arguments"
	}
	return "the tool takes " + strings.Join(schema.PropertyOrder, ", ")
}
