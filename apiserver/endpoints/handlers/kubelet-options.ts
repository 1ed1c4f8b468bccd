/**
 * Translates the query parameters of log, exec, attach and portforward into the kubelet's options: in the kubelet's
 * names, in upstream's order. Unknown parameters are dropped.
 */
import { createFieldError, forbiddenField, invalidValue, type FieldError } from '../../../shared/api/errors/field-error';
import { invalid } from '../../../shared/api/errors/status';
import type { Query } from '../request/query';

/** The type of an option's value. A parameter of type `texts` may be repeated; of the others, the first value applies. */
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

/** The streams that a client requests, and whether it has a terminal. */
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
  const flagValue = subresource === 'log' ? 'true' : '1';
  for (const { name, parameter, kind } of rows) {
    switch (kind) {
      case 'texts':
        for (const value of query.getAll(parameter)) options.append(name, value);
        break;
      case 'flag':
        if (query.boolean(parameter) === true) options.set(name, flagValue);
        break;
      case 'number':
      case 'text': {
        const text = query.get(parameter) ?? '';
        if (text !== '') options.set(name, text);
      }
    }
  }
  return options;
}

function checkLogOptions(rows: readonly KubeletOption[], query: Query, pod: string): void {
  const errors: FieldError[] = [];
  for (const row of rows) {
    const error = row.kind === 'number' ? numberError(row, query.get(row.parameter) ?? '') : undefined;
    if (error !== undefined) errors.push(error);
  }
  const timeError = sinceTimeError(query.get('sinceTime') ?? '', query.get('sinceSeconds') ?? '');
  if (timeError !== undefined) errors.push(timeError);
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, pod, errors);
}

function numberError({ parameter, minimum = 0 }: KubeletOption, text: string): FieldError | undefined {
  if (text === '') return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value)) return createFieldError('FieldValueInvalid', parameter, JSON.stringify(text), 'must be an integer');
  if (value >= minimum) return undefined;
  return invalidValue(parameter, value, minimum === 0 ? 'must be greater than or equal to 0' : 'must be greater than 0');
}

function sinceTimeError(time: string, seconds: string): FieldError | undefined {
  if (time === '') return undefined;
  if (seconds !== '') return forbiddenField('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified');
  return Number.isNaN(Date.parse(time))
    ? createFieldError('FieldValueInvalid', 'sinceTime', JSON.stringify(time), 'must be a time')
    : undefined;
}
