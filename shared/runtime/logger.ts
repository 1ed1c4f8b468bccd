/**
 * Logging: one JSON line per event on stderr, with levels and child loggers.
 * Programs take a {@link Logger}; nothing writes to the console directly except what a person started and reads (deploy/local).
 */
import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { pino, type DestinationStream, type Logger as Pino } from 'pino';
import type { Clock } from './clock';
import { choiceFlag, intFlag, type Flag } from '../cli/flags';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What a line says beside its message. An Error under `error` is written with type, message and stack. */
export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  trace(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds `fields` to every line. */
  child(fields: LogFields): Logger;
  /** Whether a line of that level would be written; ask before building costly fields. */
  isLevelEnabled(level: LogLevel): boolean;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  readonly clock: Clock;
  /** Fields of every line, such as the component's name. */
  readonly fields?: LogFields;
  /** Where the lines go; stderr by default. */
  readonly destination?: DestinationStream;
}

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

/** Bytes of lines that may wait for somebody who does not read them. */
const MAX_BUFFERED_BYTES = 1 << 20;

let droppedCount = 0;

/** Lines that were not written, because those before them were not read. */
export const droppedLogLines = (): number => droppedCount;

/**
 * Never waits for its reader: a pipe that nobody empties must not stop the process, nor its end, as a write in a thread would. Where a pipe is full
 * the lines wait in memory, and beyond its bound they are dropped. Files do not make anybody wait.
 */
function stderrSink(): DestinationStream {
  const kind = fstatSync(STDERR_FD);
  if (!kind.isFIFO() && !kind.isSocket()) return pino.destination({ dest: STDERR_FD, sync: true });
  return nonBlockingSink(new Socket({ fd: STDERR_FD, readable: false, writable: true }).unref());
}

const STDERR_FD = 2;

/** Lines for a reader who may be slow, or gone. */
export function nonBlockingSink(reader: Writable): DestinationStream {
  reader.on('error', () => undefined);
  return {
    write(line) {
      if (reader.writable && reader.writableLength < MAX_BUFFERED_BYTES) reader.write(line);
      else droppedCount += 1;
    },
  };
}

/** Writes nothing; the default in tests. */
export const silentLogger: Logger = {
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
  isLevelEnabled: () => false,
};

/** The row for `--log-level` in a flag table. */
export function logLevelFlag(section: string): Flag<LogLevel> {
  return choiceFlag({ section, help: 'Least level of the lines written to stderr.', default: 'info', values: LOG_LEVELS });
}

/** The row for upstream's `-v` in a flag table. */
export function verbosityFlag(section: string): Flag<number> {
  return intFlag({
    section,
    help: 'Detail of the log by number: 3 = as --log-level=debug, 6 = as trace; the more detailed of the two counts.',
    default: 0,
    min: 0,
  });
}

const LEVEL_BY_VERBOSITY: readonly (readonly [number, LogLevel])[] = [
  [6, 'trace'],
  [3, 'debug'],
];

/** The level that both flags together ask for. */
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
