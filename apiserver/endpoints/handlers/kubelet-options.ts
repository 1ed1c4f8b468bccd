/**
 * Translates the query parameters of log, exec, attach and portforward into the kubelet's options: in the kubelet's
 * names, in upstream's order. Unknown parameters are dropped.
 */
import { createFieldError, forbiddenField, invalidValue, type FieldError } from '../../../shared/api/errors/field-error';
import { invalid } from '../../../shared/api/errors/status';
import type { Query } from '../request/query';

/** The type of an option's value. `texts` may be repeated; the other types have their first value. */
type OptionKind = 'flag' | 'number' | 'text' | 'texts';

interface KubeletOption {
  /** The kubelet's name. */
  readonly name: string;
  /** The client's query parameter. */
  readonly parameter: string;
  readonly kind: OptionKind;
  /** The lowest valid value of a number. */
  readonly minimum?: number;
}

const STREAM_OPTIONS: readonly KubeletOption[] = [
  { name: 'error', parameter: 'stderr', kind: 'flag' },
  { name: 'input', parameter: 'stdin', kind: 'flag' },
  { name: 'output', parameter: 'stdout', kind: 'flag' },
  { name: 'tty', parameter: 'tty', kind: 'flag' },
];

const OPTIONS_BY_SUBRESOURCE: Readonly<Partial<Record<string, readonly KubeletOption[]>>> = {
  log: [
    { name: 'follow', parameter: 'follow', kind: 'flag' },
    { name: 'limitBytes', parameter: 'limitBytes', kind: 'number', minimum: 1 },
    { name: 'previous', parameter: 'previous', kind: 'flag' },
    { name: 'sinceSeconds', parameter: 'sinceSeconds', kind: 'number', minimum: 1 },
    { name: 'sinceTime', parameter: 'sinceTime', kind: 'text' },
    { name: 'tailLines', parameter: 'tailLines', kind: 'number', minimum: 0 },
    { name: 'timestamps', parameter: 'timestamps', kind: 'flag' },
  ],
  exec: [{ name: 'command', parameter: 'command', kind: 'texts' }, ...STREAM_OPTIONS],
  attach: STREAM_OPTIONS,
  portforward: [{ name: 'port', parameter: 'ports', kind: 'texts' }],
};

/**
 * The query for the kubelet. Flags that are set are `true` for logs and `1` for other subresources. Throws 422 for log
 * options that are invalid or contradict each other; `pod` is the name in the error.
 */
export function kubeletOptions(subresource: string, query: Query, pod: string): URLSearchParams {
  const rows = OPTIONS_BY_SUBRESOURCE[subresource] ?? [];
  if (subresource === 'log') checkLogOptions(rows, query, pod);
  const options = new URLSearchParams();
  for (const { name, parameter, kind } of rows) {
    const text = query.get(parameter) ?? '';
    if (kind === 'texts') for (const value of query.getAll(parameter)) options.append(name, value);
    else if (kind === 'flag' && query.boolean(parameter) === true) options.set(name, subresource === 'log' ? 'true' : '1');
    else if (kind !== 'flag' && text !== '') options.set(name, text);
  }
  return options;
}

function checkLogOptions(rows: readonly KubeletOption[], query: Query, pod: string): void {
  const errors: FieldError[] = rows.flatMap(({ parameter, kind, minimum = 0 }) => {
    const text = query.get(parameter) ?? '';
    if (kind !== 'number' || text === '') return [];
    const value = Number(text);
    if (!Number.isSafeInteger(value)) return [createFieldError('FieldValueInvalid', parameter, JSON.stringify(text), 'must be an integer')];
    if (value >= minimum) return [];
    return [invalidValue(parameter, value, minimum === 0 ? 'must be greater than or equal to 0' : 'must be greater than 0')];
  });
  const time = query.get('sinceTime') ?? '';
  if (time !== '' && (query.get('sinceSeconds') ?? '') !== '')
    errors.push(forbiddenField('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  else if (time !== '' && Number.isNaN(Date.parse(time)))
    errors.push(createFieldError('FieldValueInvalid', 'sinceTime', JSON.stringify(time), 'must be a time'));
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, pod, errors);
}
