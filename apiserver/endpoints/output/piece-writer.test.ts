/** The lengths and the order of the pieces in which long responses are written. */
import { Writable } from 'node:stream';
import { adaptPieces, endInPieces, hasRoom, MAX_WAITING_BYTES, PieceWriter } from './piece-writer';
import { piecesWritten } from './write-progress';

const KIB = 1024;

/** An output that accepts its current piece when `accept` is called. */
class SlowOutput extends Writable {
  /** The lengths of the pieces in bytes. */
  readonly pieces: number[] = [];
  private done: (() => void) | undefined;

  override _write(piece: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.pieces.push(piece.length);
    this.done = done;
  }

  async accept(): Promise<void> {
    this.done?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it('endInPieces writes a long body piece by piece as the client reads it', async () => {
  const output = new SlowOutput();
  endInPieces(output, {}, Buffer.alloc(600 * KIB));
  expect(output.pieces).toEqual([256 * KIB]);
  await output.accept();
  expect(output.pieces).toEqual([256 * KIB, 256 * KIB]);
  await output.accept();
  expect(output.pieces).toEqual([256 * KIB, 256 * KIB, 88 * KIB]);
  await output.accept();
  expect(output.writableFinished).toBe(true);
});

it('endInPieces counts the pieces that the client has read', async () => {
  const output = new SlowOutput();
  endInPieces(output, {}, Buffer.alloc(600 * KIB));
  expect(piecesWritten(output)).toBe(0);
  await output.accept();
  expect(piecesWritten(output)).toBe(1);
});

describe('with many open connections', () => {
  const MORE_THAN_256_CONNECTIONS = 257;
  beforeEach(() => adaptPieces(MORE_THAN_256_CONNECTIONS));
  afterEach(() => adaptPieces(0));

  /** The lengths of the pieces that a client receives. */
  async function piecesOf(write: (output: SlowOutput) => void): Promise<number[]> {
    const output = new SlowOutput();
    write(output);
    while (!output.writableFinished) await output.accept();
    return output.pieces;
  }

  it('endInPieces writes a body of up to 256 KiB in pieces of 15 KiB, for which Node keeps a small buffer', async () => {
    const pieces = await piecesOf((output) => endInPieces(output, {}, Buffer.alloc(40 * KIB)));
    expect(pieces).toEqual([15 * KIB, 15 * KIB, 10 * KIB]);
  });

  it('endInPieces writes a longer body in pieces of 256 KiB', async () => {
    const pieces = await piecesOf((output) => endInPieces(output, {}, Buffer.alloc(257 * KIB)));
    expect(pieces).toEqual([256 * KIB, KIB]);
  });

  it('PieceWriter writes the last part of a long response in one piece', async () => {
    const pieces = await piecesOf((output) => {
      const writer = new PieceWriter(output, output);
      writer.write(Buffer.alloc(256 * KIB), () => undefined);
      writer.end(Buffer.alloc(40 * KIB), () => undefined);
    });
    expect(pieces).toEqual([256 * KIB, 40 * KIB]);
  });

  it('PieceWriter passes a short response to a compressor in one piece', async () => {
    const pieces = await piecesOf((output) => new PieceWriter(output, {}).end(Buffer.alloc(40 * KIB), () => undefined));
    expect(pieces).toEqual([40 * KIB]);
  });
});

it('PieceWriter keeps the order of writes while a long one is in progress', async () => {
  const received: Buffer[] = [];
  const output = new Writable({
    write(piece: Buffer, _encoding, done) {
      received.push(piece);
      setImmediate(done);
    },
  });
  const writer = new PieceWriter(output, output);
  // Long parts, which are written in pieces, between short ones. The bytes of each part have its index as their value.
  const parts = [10, 800 * KIB, 20, 256 * KIB + 1, 256 * KIB, 30].map((length, index) => Buffer.alloc(length, index));
  /** The indices of the parts that have been written. */
  const done: number[] = [];
  parts.forEach((part, index) => {
    if (index < parts.length - 1) writer.write(part, () => done.push(index));
    else writer.end(part, () => done.push(index));
  });
  await new Promise((resolve) => output.once('finish', resolve));
  expect(Buffer.concat(received).equals(Buffer.concat(parts))).toBe(true);
  expect(done).toEqual([0, 1, 2, 3, 4, 5]);
});

describe('hasRoom', () => {
  it('allows one response of any length to wait on a connection', () => {
    expect(hasRoom({}, 2 * MAX_WAITING_BYTES)).toBe(true);
  });

  it('allows several responses to wait on a connection within the limit', () => {
    const connection = {};
    const otherConnection = {};
    endInPieces(new SlowOutput(), connection, Buffer.alloc(100 * KIB));
    expect(hasRoom(connection, MAX_WAITING_BYTES - 100 * KIB)).toBe(true);
    expect(hasRoom(connection, MAX_WAITING_BYTES)).toBe(false);
    expect(hasRoom(otherConnection, MAX_WAITING_BYTES)).toBe(true);
  });

  it('no longer counts a response after its output has closed', async () => {
    const connection = {};
    const output = new SlowOutput();
    endInPieces(output, connection, Buffer.alloc(100 * KIB));
    output.destroy();
    await new Promise((resolve) => output.once('close', resolve));
    expect(hasRoom(connection, MAX_WAITING_BYTES)).toBe(true);
  });
});
