package jq

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// maxNumber is the longest number, in bytes, that an expression may see: the
// engine turns integers of any length into binary, which takes more than linear
// time.
const maxNumber = 4096

// decode reads one JSON value into the engine's types. Numbers keep their text,
// objects the order of their keys.
func decode(text []byte, known orders) (any, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
	v, err := decodeNext(d, known)
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text follows the JSON value")
	}
	return v, nil
}

// decodeNext reads the next value of d. The tokenizer bounds its depth.
func decodeNext(d *jsontext.Decoder, known orders) (any, error) {
	token, err := d.ReadToken()
	if err != nil {
		return nil, fmt.Errorf("invalid JSON: %w", err)
	}
	switch token.Kind() {
	case 'n':
		return nil, nil
	case 't', 'f':
		return token.Bool(), nil
	case '"':
		return token.String(), nil
	case '0':
		text := token.String()
		if len(text) > maxNumber {
			return nil, fmt.Errorf("a number has more than %d digits", maxNumber)
		}
		return json.Number(text), nil
	case '[':
		return decodeArray(d, known)
	default:
		return decodeObject(d, known)
	}
}

func decodeArray(d *jsontext.Decoder, known orders) (any, error) {
	array := []any{}
	for d.PeekKind() != ']' {
		v, err := decodeNext(d, known)
		if err != nil {
			return nil, err
		}
		array = append(array, v)
	}
	_, err := d.ReadToken()
	return array, err
}

func decodeObject(d *jsontext.Decoder, known orders) (any, error) {
	object := map[string]any{}
	var keys []string
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, fmt.Errorf("invalid JSON: %w", err)
		}
		key := name.String()
		v, err := decodeNext(d, known)
		if err != nil {
			return nil, err
		}
		if _, repeated := object[key]; !repeated {
			keys = append(keys, key)
		}
		object[key] = v
	}
	_, err := d.ReadToken()
	known.note(object, keys)
	return object, err
}
