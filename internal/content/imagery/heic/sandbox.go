// SPDX-License-Identifier: Apache-2.0

package heic

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	_ "unsafe" // for go:linkname

	_ "github.com/gen2brain/heic" // contains the program
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/reelops/reelops/internal/process/fairqueue"
)

// program is the decoder, WebAssembly compressed with gzip. Its module does not export it.
//
//go:linkname program github.com/gen2brain/heic.heifWasm
var program []byte

const page = 64 << 10

// machine returns the compiled decoder. Compiling takes a second or two, so it is done once, for the first image.
var machine = sync.OnceValues(func() (*compiled, error) {
	z, err := gzip.NewReader(bytes.NewReader(program))
	if err != nil {
		return nil, fmt.Errorf("unpacking the decoder: %w", err)
	}
	wasm, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("unpacking the decoder: %w", err)
	}
	ctx := context.Background()
	rt := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithMemoryLimitPages(MaxMemory/page).WithCloseOnContextDone(true))
	module, err := rt.CompileModule(ctx, wasm)
	if err != nil {
		return nil, fmt.Errorf("compiling the decoder: %w", err)
	}
	// The imports of the program must exist. With the configuration below they give it access to nothing.
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, rt); err != nil {
		return nil, fmt.Errorf("preparing the decoder: %w", err)
	}
	return &compiled{rt, module, fairqueue.NewSlots(1, 1)}, nil
})

type compiled struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
	turn    *fairqueue.Slots // one image at a time
}

// sandbox is one instance of the decoder with its memory.
type sandbox struct {
	memory         api.Memory
	malloc, decode api.Function
}

// within calls f with a fresh sandbox.
func within(ctx context.Context, account string, f func(context.Context, *sandbox) error) error {
	m, err := machine()
	if err != nil {
		return err
	}
	release, err := m.turn.Acquire(ctx, account)
	if err != nil {
		return err
	}
	defer release()
	mem := &linear{}
	defer mem.Free()
	instance, err := m.runtime.InstantiateModule(
		experimental.WithMemoryAllocator(ctx, mem), m.module, wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	if err == nil {
		defer func() { _ = instance.Close(context.WithoutCancel(ctx)) }()
		err = f(ctx, &sandbox{instance.Memory(), instance.ExportedFunction("malloc"), instance.ExportedFunction("decode")})
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// call calls a function of the decoder. Any failure, including a memory fault or a lack of memory, is attributed to the
// image.
func (s *sandbox) call(ctx context.Context, f api.Function, args ...uint64) (uint64, error) {
	out, err := f.Call(ctx, args...)
	var exit *sys.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == sys.ExitCodeDeadlineExceeded:
		return 0, ErrSlow
	case err != nil:
		return 0, fmt.Errorf("%w: %w", ErrUndecodable, err)
	}
	return out[0], nil
}

func (s *sandbox) alloc(ctx context.Context, n uint64) (uint64, error) {
	if n == 0 || n > MaxMemory {
		return 0, ErrUndecodable
	}
	at, err := s.call(ctx, s.malloc, n)
	if err == nil && at == 0 {
		err = fmt.Errorf("%w: it needs more memory than it may have", ErrUndecodable)
	}
	return at, err
}

// linear is the memory of a sandbox. It is mapped from the system and unmapped afterwards, so that a large image leaves
// no garbage for the collector. Only touched pages use physical memory.
type linear struct {
	once sync.Once
	all  []byte
}

// Allocate maps the memory. It is called once for each instance.
func (l *linear) Allocate(_, most uint64) experimental.LinearMemory {
	all, err := allocate(int(min(most, MaxMemory)))
	if err == nil {
		l.all = all
	}
	return l
}

// Reallocate returns the first size bytes, or nil if there are fewer.
func (l *linear) Reallocate(size uint64) []byte {
	if size > uint64(len(l.all)) {
		return nil
	}
	return l.all[:size:len(l.all)]
}

// Free unmaps the memory.
func (l *linear) Free() {
	l.once.Do(func() {
		if l.all != nil {
			free(l.all)
		}
	})
}
