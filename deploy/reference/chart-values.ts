/**
 * The page of docs/reference about the values of the Helm chart, made from the text of its values.yaml: each key with
 * its default and the comment above it. The file has block mappings of two spaces; values are on one line.
 */
import { code, page, type Section } from './markdown';

/** A value that users may set. */
export interface ChartValue {
  /** `apiserver.service.port`. */
  readonly key: string;
  /** As written in the file. */
  readonly default: string;
  /** The comment above the key; empty without one. */
  readonly description: string;
}

/** A comment (`# Replicas.`), or a key with or without a value (`replicas: 2`), with the spaces before it. */
const LINE = /^( *)(?:# ?(?<comment>.*)|(?<name>[\w-]+):(?: (?<value>.+))?)$/;
/** Spaces for each level of values.yaml. */
const INDENTATION = 2;

/** The values without members, in the order of the file. Throws for a line that is neither a key nor a comment. */
export function chartValues(text: string): readonly ChartValue[] {
  const values: ChartValue[] = [];
  let parents: string[] = [];
  let comments: string[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const groups = LINE.exec(line);
    if (groups === null) throw new Error(`neither a key nor a comment: ${line}`);
    const { comment, name = '', value } = groups.groups ?? {};
    if (comment !== undefined) {
      comments.push(comment);
      continue;
    }
    const path = [...parents.slice(0, (groups[1] ?? '').length / INDENTATION), name];
    if (value === undefined) parents = path;
    else values.push({ key: path.join('.'), default: value, description: comments.join(' ') });
    comments = [];
  }
  return values;
}

/** The page, with a section for each part of the chart. */
export function chartPage(valuesText: string, generated: string): string {
  const values = chartValues(valuesText);
  const partOf = ({ key }: ChartValue): string => (key.includes('.') ? key.slice(0, key.indexOf('.')) : 'global');
  const sections = [...new Set(values.map(partOf))].map((part): Section => {
    const rows = values.filter((value) => partOf(value) === part);
    return {
      heading: part === 'global' ? 'all components' : part,
      columns: ['value', 'default', 'description'],
      rows: rows.map((row) => [code(row.key), code(row.default), row.description]),
    };
  });
  const introduction = `${generated} How to install the chart: [Running in a cluster](../guide/running-in-a-cluster.md). Other values are refused by the schema of the chart.`;
  return page('Values of the Helm chart', introduction, sections);
}
