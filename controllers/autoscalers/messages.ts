/**
 * Parts of upstream's messages: label selectors as Go prints the struct, and client-go's texts for errors without a
 * Status.
 */
import type { MetaV1LabelSelector } from '../../shared/api/types/generated/members';
import type { ApiError } from '../../shared/client/rest/api-error';
import { sortedKeys } from '../../shared/values/json';

/** The text of LabelSelector's `String` method in Go. */
export function formatGoSelector(selector: MetaV1LabelSelector | undefined): string {
  if (selector === undefined) return 'nil';
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const labels = sortedKeys(matchLabels).map((key) => `${key}: ${matchLabels[key] ?? ''},`);
  const requirements = matchExpressions.map(
    ({ key = '', operator = '', values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${requirements.join('')}},}`;
}

/**
 * client-go's messages for responses without a Status, by status code. Those for 403 and 500 quote the body of the
 * response, which is `unknown` unless the body is plain text; here it is always `unknown`.
 */
const MESSAGES_BY_CODE: ReadonlyMap<number, string> = new Map([
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

/**
 * The message of the server's Status. For a response without a Status, which is an error with an empty `reason`,
 * client-go's message for the code; it ends with `(get RESOURCE)` when `resource`, the plural name of what was read, is
 * given.
 */
export function apiErrorMessage(error: ApiError, resource?: string): string {
  if (error.reason !== '') return error.message;
  const message =
    MESSAGES_BY_CODE.get(error.code) ?? `the server responded with the status code ${error.code} but did not return more information`;
  return resource === undefined ? message : `${message} (get ${resource})`;
}
