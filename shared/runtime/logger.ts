/**
 * Structured logging: one JSON line per event on stderr, with levels and child loggers. Components take a
 * {@link Logger}; only commands for users, and failures of a start, write to the console directly.
 */
import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { pino, type Logger as Pino } from 'pino';
import type { Clock } from './clock';
import { choiceFlag, intFlag, type Flag } from '../cli/flags';

/** From the most to the least detailed. */
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Fields of a line besides its message. An Error under `error` is written with type, message and stack. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes log lines; never throws. Lines may be dropped when the reader of stderr does not keep up. */
export interface Logger {
  /** Every step of a component, for debugging. */
  trace(message: string, fields?: LogFields): void;
  /** Decisions of a component that are not visible otherwise. */
  debug(message: string, fields?: LogFields): void;
  /** Changes of the state of the program. */
  info(message: string, fields?: LogFields): void;
  /** A failure that the program handles or retries. */
  warn(message: string, fields?: LogFields): void;
  /** A failure that needs an operator. */
  error(message: string, fields?: LogFields): void;
  /** A logger that adds `fields` to every line. */
  child(fields: LogFields): Logger;
  /** Whether a line of that level would be written; to be checked before costly fields are computed. */
  isLevelEnabled(level: LogLevel): boolean;
}

/** Receives lines. */
export interface LogSink {
  write(line: string): void;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  readonly clock: Clock;
  /** Fields of every line, such as the component's name. */
  readonly fields?: LogFields;
  /** Default: stderr. */
  readonly destination?: LogSink;
}

/** A logger that writes to `destination`; see {@link LoggerOptions}. */
export function createLogger(options: LoggerOptions): Logger {
  const sink = options.destination ?? stderrSink();
  const settings = {
    level: options.level,
    base: options.fields ?? {},
    timestamp: () => `,"time":"${new Date(options.clock.now()).toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: pino.stdSerializers.err },
  };
  return wrapPino(pino(settings, sink));
}

/** Bytes of lines that are buffered for a reader that does not keep up. */
const MAX_BUFFERED_BYTES = 1 << 20;

let droppedCount = 0;

/** The number of lines that were dropped because the buffer was full or the reader had closed. */
export const droppedLogLines = (): number => droppedCount;

const STDERR_FD = 2;

/**
 * Writes to files are synchronous. Writes to a pipe or socket must not block, or a reader that has stopped reading would
 * block the process; if a thread wrote the lines, it would block the exit of the process. So lines are buffered in
 * memory while the pipe is full, and dropped when {@link MAX_BUFFERED_BYTES} are buffered.
 */
function stderrSink(): LogSink {
  const kind = fstatSync(STDERR_FD);
  if (!kind.isFIFO() && !kind.isSocket()) return pino.destination({ dest: STDERR_FD, sync: true });
  return nonBlockingSink(new Socket({ fd: STDERR_FD, readable: false, writable: true }).unref());
}

/**
 * A sink that buffers a bounded number of bytes for a slow reader, and drops lines beyond that or after the reader has
 * closed.
 */
export function nonBlockingSink(reader: Writable): LogSink {
  reader.on('error', () => undefined);
  return {
    write(line) {
      if (reader.writable && reader.writableLength < MAX_BUFFERED_BYTES) reader.write(line);
      else droppedCount += 1;
    },
  };
}

/** Writes no lines; the default in tests. */
export const silentLogger: Logger = {
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
  isLevelEnabled: () => false,
};

/** The flag `--log-level`. */
export function logLevelFlag(section: string): Flag<LogLevel> {
  return choiceFlag({ section, help: 'Minimum level of the log lines on stderr.', default: 'info', values: LOG_LEVELS });
}

/** Upstream's flag `-v`. */
export function verbosityFlag(section: string): Flag<number> {
  return intFlag({
    section,
    help: 'Verbosity as a number: 3 is --log-level=debug, 6 is trace; the more verbose of the two flags applies.',
    default: 0,
    min: 0,
  });
}

/** The level of each verbosity from a minimum on, the highest first; no level is that of a lower verbosity. */
const LEVEL_BY_VERBOSITY: readonly (readonly [minimum: number, LogLevel])[] = [
  [6, 'trace'],
  [3, 'debug'],
];

/** The more detailed level of the two flags. */
export function effectiveLogLevel({ 'log-level': level, v }: { readonly 'log-level': LogLevel; readonly v: number }): LogLevel {
  const verbosityLevel = LEVEL_BY_VERBOSITY.find(([minimum]) => v >= minimum)?.[1];
  return verbosityLevel === undefined || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(verbosityLevel) ? level : verbosityLevel;
}

function wrapPino(target: Pino): Logger {
  return {
    trace: (message, fields = {}) => target.trace(fields, message),
    debug: (message, fields = {}) => target.debug(fields, message),
    info: (message, fields = {}) => target.info(fields, message),
    warn: (message, fields = {}) => target.warn(fields, message),
    error: (message, fields = {}) => target.error(fields, message),
    child: (fields) => wrapPino(target.child(fields)),
    isLevelEnabled: (level) => level !== 'silent' && target.isLevelEnabled(level),
  };
}
