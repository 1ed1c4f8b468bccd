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
	log := make(chan []byte)
	go func() {
		for line := range log {
			os.Stdout.Write(append(line, '\n'))
		}
	}()
	handler := http.HandlerFunc(func(answer http.ResponseWriter, asked *http.Request) {
		body, _ := io.ReadAll(asked.Body)
		fields := []string{}
		for _, names := range []http.Header{asked.Header, asked.Trailer} {
			for name := range names {
				fields = append(fields, strings.ToLower(name))
			}
		}
		line, _ := json.Marshal(request{
			Connection: asked.RemoteAddr,
			Line:       asked.Method + " " + asked.RequestURI,
			User:       asked.Header.Get("X-Remote-User"),
			Fields:     fields,
			Length:     asked.ContentLength,
			Codings:    append([]string{}, asked.TransferEncoding...),
			Body:       string(body),
		})
		log <- line
		answer.Header().Set("Content-Type", "application/json")
		answer.Write(line)
	})
	if len(os.Args) > 2 {
		panic(http.ServeTLS(listener, handler, os.Args[1], os.Args[2]))
	}
	panic(http.Serve(listener, handler))
}
