import { Writable } from 'node:stream';
import { endInPieces, hasRoom, MAX_WAITING_BYTES, PieceWriter, piecesWritten } from './write-progress';

const KIB = 1024;

/** Accepts the next piece when `take` is called. */
class SlowOutput extends Writable {
  readonly taken: number[] = [];
  private done: (() => void) | undefined;

  override _write(piece: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.taken.push(piece.length);
    this.done = done;
  }

  async take(): Promise<void> {
    this.done?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it('writes a long body piece by piece as its client takes it, and counts the pieces', async () => {
  const output = new SlowOutput();
  endInPieces(output, {}, Buffer.alloc(600 * KIB));
  expect([output.taken, piecesWritten(output)]).toEqual([[256 * KIB], 0]);
  await output.take();
  await output.take();
  expect([output.taken, piecesWritten(output)]).toEqual([[256 * KIB, 256 * KIB, 88 * KIB], 2]);
  await output.take();
  expect(output.writableFinished).toBe(true);
});

it('keeps the order of what is written while a long part is under way', async () => {
  const received: Buffer[] = [];
  const output = new Writable({
    write(piece: Buffer, _encoding, done) {
      received.push(piece);
      setImmediate(done);
    },
  });
  const writer = new PieceWriter(output, output);
  const parts = [10, 800 * KIB, 20, 256 * KIB + 1, 256 * KIB, 30].map((length, index) => Buffer.alloc(length, index));
  const done: number[] = [];
  parts.forEach((part, index) => writer.write(part, index === parts.length - 1, () => done.push(index)));
  await new Promise((resolve) => output.once('finish', resolve));
  expect(Buffer.concat(received).equals(Buffer.concat(parts))).toBe(true);
  expect(done).toEqual([0, 1, 2, 3, 4, 5]);
});

it('lets one answer of any length wait on a connection, and several as long as there is room', async () => {
  const [connection, output] = [{}, new SlowOutput()];
  expect(hasRoom(connection, 2 * MAX_WAITING_BYTES)).toBe(true);
  endInPieces(output, connection, Buffer.alloc(100 * KIB));
  expect(hasRoom(connection, MAX_WAITING_BYTES - 100 * KIB)).toBe(true);
  expect(hasRoom(connection, MAX_WAITING_BYTES)).toBe(false);
  expect(hasRoom({}, MAX_WAITING_BYTES)).toBe(true);
  output.destroy();
  await new Promise((resolve) => output.once('close', resolve));
  expect(hasRoom(connection, MAX_WAITING_BYTES)).toBe(true);
});
