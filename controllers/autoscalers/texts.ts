/** What upstream's controller says in sentences of its own making: selectors as its structures are printed, and refusals that say nothing themselves. Only prints. */
import type { ApiError } from '../../shared/client/rest/api-error';
import { arrayAt, isObject, objectAt, sortedKeys, stringAt, stringsAt, type JsonObject } from '../../shared/values/json';

/** A label selector as it is printed with its members. */
export function goSelector(selector: JsonObject | undefined): string {
  if (selector === undefined) return 'nil';
  const labels = objectAt(selector, 'matchLabels') ?? {};
  const shown = sortedKeys(labels).map((key) => `${key}: ${stringAt(labels, key) ?? ''},`);
  const requirements = (arrayAt(selector, 'matchExpressions') ?? []).filter(isObject).map((one) => {
    const [key, operator] = [stringAt(one, 'key') ?? '', stringAt(one, 'operator') ?? ''];
    return `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${stringsAt(one, 'values').join(' ')}],},`;
  });
  return `&LabelSelector{MatchLabels:map[string]string{${shown.join('')}},MatchExpressions:[]LabelSelectorRequirement{${requirements.join('')}},}`;
}

const BY_CODE: ReadonlyMap<number, string> = new Map([
  [400, 'the server rejected our request for an unknown reason'],
  [401, 'the server has asked for the client to provide credentials'],
  [403, 'unknown'],
  [404, 'the server could not find the requested resource'],
  [405, 'the server does not allow this method on the requested resource'],
  [409, 'the server reported a conflict'],
  [429, 'the server has received too many requests and has asked us to try again later'],
  [500, 'an error on the server ("unknown") has prevented the request from succeeding'],
  [503, 'the server is currently unable to handle the request'],
  [504, 'the server was unable to return a response in the time allotted, but may still be processing the request'],
]);

/** What a refusal says, or what its code does where it says nothing; `asked` is what was asked for, where that is told. */
export function refusalText(error: ApiError, asked?: string): string {
  if (error.reason !== '') return error.message;
  const said = BY_CODE.get(error.code) ?? `the server responded with the status code ${error.code} but did not return more information`;
  return asked === undefined ? said : `${said} (get ${asked})`;
}
