// SPDX-License-Identifier: Apache-2.0

package render

import (
	"context"
	"sync"
)

// drawAll draws the scene's shots and passes the frames to take one by one, in order. Several frames are drawn
// concurrently while take works on an earlier one. The frame given to take is reused after take returns; n counts from
// 0. written are the images that are written after the frame.
func (s *scene) drawAll(ctx context.Context, take func(n int, f *frame, written [][]byte) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)

	type job struct {
		n       int
		f       *frame
		written [][]byte
		done    chan error
	}
	n := workers()
	free := make(chan *frame, n+2)
	for range cap(free) {
		free <- newFrame(s.tl.Canvas.Width, s.tl.Canvas.Height)
	}
	todo, inOrder := make(chan *job), make(chan *job, cap(free))

	s.begin(ctx)
	defer s.end()
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop(nil) // before waiting
	wg.Go(func() {
		defer close(todo)
		defer close(inOrder)
		for i := range s.shots {
			var j *job
			select {
			case f := <-free:
				j = &job{n: i, f: f, done: make(chan error, 1)}
			case <-ctx.Done():
				return
			}
			inOrder <- j // has room for every frame
			select {
			case todo <- j:
			case <-ctx.Done():
				return
			}
		}
	})
	for range n {
		wg.Go(func() {
			b := &brush{}
			for j := range todo {
				err := s.draw(j.f, j.n, b)
				if err == nil {
					j.written, err = s.write(j.n, j.f, b)
				}
				j.done <- err
			}
		})
	}
	for j := range inOrder {
		select {
		case err := <-j.done:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := take(j.n, j.f, j.written); err != nil {
			return err
		}
		s.forget(j.n)
		free <- j.f
	}
	return context.Cause(ctx)
}
