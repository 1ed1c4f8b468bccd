/**
 * Merges the metrics pages of several workers into one page of the Prometheus text format: every series gets the label
 * `worker`, and the series of a metric stand together below one header, as the format requires.
 */

/** The page that one worker rendered. */
export interface WorkerPage {
  /** The number of the worker. */
  readonly worker: number;
  readonly text: string;
}

/** The lines of one metric. */
interface Family {
  /** The `# HELP` and `# TYPE` lines of the first page that has the metric. */
  readonly header: string[];
  readonly samples: string[];
  /** The worker of the page that provided the header. */
  readonly worker: number;
}

/** `# HELP NAME …` and `# TYPE NAME …`. */
const HEADER = /^# (?:HELP|TYPE) (\S+)/;

/** Returns one page. The header of a metric is that of the first page that has it; other comment lines are dropped. */
export function mergeMetrics(pages: readonly WorkerPage[]): string {
  const families = new Map<string, Family>();
  for (const page of pages) collectFamilies(families, page);
  const lines = [...families.values()].flatMap(({ header, samples }) => [...header, ...samples]);
  return lines.map((line) => `${line}\n`).join('');
}

function collectFamilies(families: Map<string, Family>, { worker, text }: WorkerPage): void {
  const label = `worker="${worker}"`;
  let family: Family | undefined;
  for (const line of text.split('\n')) {
    const name = HEADER.exec(line)?.[1];
    if (name === undefined) {
      if (line !== '' && !line.startsWith('#')) family?.samples.push(addLabel(line, label));
      continue;
    }
    family = families.get(name) ?? { header: [], samples: [], worker };
    families.set(name, family);
    if (family.worker === worker) family.header.push(line);
  }
}

/**
 * Adds a label to a sample: `up 1` -> `up{worker="1"} 1`, and `up{a="b"} 1` -> `up{worker="1",a="b"} 1`. The name ends at
 * the first brace or space; label values may contain both.
 */
function addLabel(sample: string, label: string): string {
  const nameEnd = sample.search(/[{ ]/);
  const name = sample.slice(0, nameEnd);
  if (sample[nameEnd] === ' ') return `${name}{${label}}${sample.slice(nameEnd)}`;
  const labels = sample.slice(nameEnd + 1);
  return `${name}{${label}${labels.startsWith('}') ? '' : ','}${labels}`;
}
