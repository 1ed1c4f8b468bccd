/** Formats time spans and sizes for people: rounded, with units. Exact figures are in the JSON output. */

/** As {@link formatSpan}, but `expired` for a span that is zero or negative. */
export function formatRemaining(milliseconds: number): string {
  return milliseconds <= 0 ? 'expired' : formatSpan(milliseconds);
}

/** A time span in its largest unit and the next one, unless that is zero: `364d23h`, `3h2m`, `12s`. `0s` below one second. */
export function formatSpan(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return '0s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join('');
}

/** `512 B`, `1.5 KiB`, `20 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1_024 && unit < units.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
