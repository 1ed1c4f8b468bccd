// An HTTP server of Go's standard library: it responds to every request with the request as it parsed it, in JSON, and
// writes the same to its standard output, one line per request. The first line of its output is its port. Arguments:
// the files of a certificate and its key, for TLS.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
)

type request struct {
	Connection string   `json:"connection"`
	Line       string   `json:"line"`
	User       string   `json:"user"`
	Fields     []string `json:"fields"`
	Length     int64    `json:"length"`
	Codings    []string `json:"codings"`
	Body       string   `json:"body"`
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	// Handlers run concurrently; one goroutine writes their lines whole.
	log := make(chan []byte)
	go func() {
		for line := range log {
			os.Stdout.Write(append(line, '\n'))
		}
	}()
	handler := http.HandlerFunc(func(response http.ResponseWriter, received *http.Request) {
		body, _ := io.ReadAll(received.Body)
		fields := []string{}
		for _, names := range []http.Header{received.Header, received.Trailer} {
			for name := range names {
				fields = append(fields, strings.ToLower(name))
			}
		}
		line, _ := json.Marshal(request{
			Connection: received.RemoteAddr,
			Line:       received.Method + " " + received.RequestURI,
			User:       received.Header.Get("X-Remote-User"),
			Fields:     fields,
			Length:     received.ContentLength,
			Codings:    append([]string{}, received.TransferEncoding...),
			Body:       string(body),
		})
		log <- line
		response.Header().Set("Content-Type", "application/json")
		response.Write(line)
	})
	if len(os.Args) > 2 {
		panic(http.ServeTLS(listener, handler, os.Args[1], os.Args[2]))
	}
	panic(http.Serve(listener, handler))
}
