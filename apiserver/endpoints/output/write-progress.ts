/**
 * Records the progress of responses with slow clients: how many pieces each output has accepted, which outputs carry watches, and how many bytes of whole responses wait
 * on each connection. Long responses are written in pieces, so that a slow client differs from one that reads nothing. Ends no output itself.
 */
import type { Writable } from 'node:stream';

/** A client has to read a piece within the time for unread answers. Pieces of 64 KiB cost lists of 500 objects in protobuf some 20 % more CPU. */
const PIECE_BYTES = 256 * 1024;
/** Whole answers that wait for the client of one connection. One alone may be longer. */
export const MAX_WAITING_BYTES = 32 * 1024 * 1024;

const written = new WeakMap<object, number>();
const watches = new WeakSet<object>();
const unreadAllowed = new WeakSet<object>();
const waiting = new WeakMap<object, number>();

/** Notes that the client of an output has taken something. */
export function notePieceWritten(output: object): void {
  written.set(output, piecesWritten(output) + 1);
}

export function piecesWritten(output: object): number {
  return written.get(output) ?? 0;
}

export function markAsWatch(output: object): void {
  watches.add(output);
}

export function isWatch(output: object): boolean {
  return watches.has(output);
}

/** Streams to containers and their logs: a person may stop reading them for as long as they like. They wait for their client, so that few bytes wait here. */
export function allowUnread(output: object): void {
  unreadAllowed.add(output);
}

/** The socket of a log may carry other answers afterwards. */
export function forbidUnread(output: object): void {
  unreadAllowed.delete(output);
}

export function mayStayUnread(output: object): boolean {
  return unreadAllowed.has(output);
}

export function isLong(body: Buffer): boolean {
  return body.length > PIECE_BYTES;
}

/** Whether `bytes` more may wait on a connection beside what waits already. */
export function hasRoom(connection: object, bytes: number): boolean {
  const already = waiting.get(connection) ?? 0;
  return already === 0 || already + bytes <= MAX_WAITING_BYTES;
}

/** What is written to: an output, or a compressor in front of it. */
interface PieceTarget {
  write(piece: Buffer, written: (error?: Error | null) => void): unknown;
  end(piece: Buffer, written: () => void): unknown;
}

type Written = (error?: Error | null) => void;

interface Part {
  readonly bytes: Buffer;
  readonly ends: boolean;
  readonly done: Written;
}

/**
 * Writes to a target in order, and what is long piece by piece, each once the client has taken the one before; every piece counts as progress of `output`. Each `done` is
 * called once, unless the target is destroyed before.
 */
export class PieceWriter {
  /** The first of them is being written. Empty while nothing long is under way. */
  private readonly parts: Part[] = [];

  constructor(
    private readonly target: PieceTarget,
    private readonly output: object,
  ) {}

  /** With `ends` nothing may be written afterwards. */
  write(bytes: Buffer, ends: boolean, done: Written): void {
    const part = { bytes, ends, done };
    if (this.parts.length > 0) this.parts.push(part);
    else if (isLong(bytes)) {
      this.parts.push(part);
      this.writePieces(part, 0);
    } else this.writeWhole(part);
  }

  private writeWhole({ bytes, ends, done }: Part): void {
    if (ends) this.target.end(bytes, done);
    else this.target.write(bytes, done);
  }

  private writePieces(part: Part, from: number): void {
    const to = from + PIECE_BYTES;
    if (to < part.bytes.length) {
      this.target.write(part.bytes.subarray(from, to), (error) => {
        notePieceWritten(this.output);
        if (error === undefined || error === null) this.writePieces(part, to);
        else this.fail(error);
      });
      return;
    }
    this.writeWhole({ ...part, bytes: from === 0 ? part.bytes : part.bytes.subarray(from) });
    this.parts.shift();
    const next = this.parts[0];
    if (next !== undefined) this.writePieces(next, 0);
  }

  private fail(error: Error): void {
    for (const { done } of this.parts.splice(0)) done(error);
  }
}

/** Writes a long body and ends the output. Its bytes wait on `connection` until the output closes. */
export function endInPieces(output: Writable, connection: object, body: Buffer): void {
  waiting.set(connection, (waiting.get(connection) ?? 0) + body.length);
  output.once('close', () => waiting.set(connection, (waiting.get(connection) ?? 0) - body.length));
  new PieceWriter(output, output).write(body, true, () => undefined);
}
