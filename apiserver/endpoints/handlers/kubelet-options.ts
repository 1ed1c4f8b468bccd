/** What a kubelet is told of a client's query: its options by the kubelet's names, in the order in which upstream writes them. */
import { fieldErrorAs, forbiddenField, invalidValue, type FieldError } from '../../../shared/api/errors/field-error';
import { invalid } from '../../../shared/api/errors/status';
import type { Query } from '../request/query';

type Kind = 'flag' | 'number' | 'text' | 'texts';

interface Told {
  /** The kubelet's name. */
  readonly name: string;
  /** The client's. */
  readonly from: string;
  readonly kind: Kind;
  /** Of a number. */
  readonly least?: number;
}

const STREAMS: readonly Told[] = [
  { name: 'error', from: 'stderr', kind: 'flag' },
  { name: 'input', from: 'stdin', kind: 'flag' },
  { name: 'output', from: 'stdout', kind: 'flag' },
  { name: 'tty', from: 'tty', kind: 'flag' },
];

const BY_SUBRESOURCE: Readonly<Partial<Record<string, readonly Told[]>>> = {
  log: [
    { name: 'follow', from: 'follow', kind: 'flag' },
    { name: 'limitBytes', from: 'limitBytes', kind: 'number', least: 1 },
    { name: 'previous', from: 'previous', kind: 'flag' },
    { name: 'sinceSeconds', from: 'sinceSeconds', kind: 'number', least: 1 },
    { name: 'sinceTime', from: 'sinceTime', kind: 'text' },
    { name: 'tailLines', from: 'tailLines', kind: 'number', least: 0 },
    { name: 'timestamps', from: 'timestamps', kind: 'flag' },
  ],
  exec: [{ name: 'command', from: 'command', kind: 'texts' }, ...STREAMS],
  attach: STREAMS,
  portforward: [{ name: 'port', from: 'ports', kind: 'texts' }],
};

/** Logs say `true`, the others `1`. Throws 422 for a log's options that make no sense together. */
export function toldOptions(subresource: string, query: Query, pod: string): URLSearchParams {
  const rows = BY_SUBRESOURCE[subresource] ?? [];
  if (subresource === 'log') checkLogOptions(rows, query, pod);
  const told = new URLSearchParams();
  for (const { name, from, kind } of rows) {
    const text = query.get(from) ?? '';
    if (kind === 'texts') for (const value of query.all(from)) told.append(name, value);
    else if (kind === 'flag' && query.boolean(from) === true) told.set(name, subresource === 'log' ? 'true' : '1');
    else if (kind !== 'flag' && text !== '') told.set(name, text);
  }
  return told;
}

function checkLogOptions(rows: readonly Told[], query: Query, pod: string): void {
  const errors: FieldError[] = rows.flatMap(({ from, kind, least = 0 }) => {
    const text = query.get(from) ?? '';
    if (kind !== 'number' || text === '') return [];
    const value = Number(text);
    if (!Number.isSafeInteger(value)) return [fieldErrorAs('FieldValueInvalid', from, JSON.stringify(text), 'must be a whole number')];
    if (value >= least) return [];
    return [invalidValue(from, value, least === 0 ? 'must be greater than or equal to 0' : 'must be greater than 0')];
  });
  const time = query.get('sinceTime') ?? '';
  if (time !== '' && (query.get('sinceSeconds') ?? '') !== '')
    errors.push(forbiddenField('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  else if (time !== '' && Number.isNaN(Date.parse(time)))
    errors.push(fieldErrorAs('FieldValueInvalid', 'sinceTime', JSON.stringify(time), 'must be a time'));
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, pod, errors);
}
