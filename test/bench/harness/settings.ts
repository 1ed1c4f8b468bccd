/**
 * Options of the benchmark's command line (`--name=value`), read once when this module is loaded. Names are not checked:
 * each part of the benchmark reads those that it knows.
 */

/** The bearer token of the client that measures; the servers are started with it. */
export const TOKEN = 'bench-token';

/** The value of an option; undefined when it is not given. */
export const textOption = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
/** Whether `--name` is given, without a value. */
export const hasOption = (name: string): boolean => process.argv.includes(`--${name}`);
/** The number of an option; `absent` when it is not given. */
export const numberOption = (name: string, absent: number): number => Number(textOption(name) ?? absent);
/** The comma-separated values of an option; those of `absent` when it is not given. */
export const listOption = (name: string, absent: string): readonly string[] => (textOption(name) ?? absent).split(',');

/** Seconds of each measurement, long enough for several thousand requests. */
export const seconds = numberOption('seconds', 4);
/** The stores to measure, in order: `embedded`, `etcd`. */
export const stores = listOption('stores', 'embedded,etcd');
