/**
 * Recorded requests to which this server deliberately responds differently from release 1.31.1, with the expected
 * response. Where the recorded request changed nothing and would change something here, a request is sent that changes
 * nothing here either, so that later steps start from the recorded state.
 */
import { isBody, type Body, type Json } from '../../replay/json-response';
import type { RecordedResponse, RecordedRequest, RequestCase } from '../../replay/requests/request-recording';

/**
 * The Status that this server returns for the deletion of the collection at `path`, where release 1.31.1 returns the
 * list.
 */
export function collectionDeletionStatus(path: string): Body {
  const segments = withoutQuery(path).split('/');
  const group = segments[1] === 'apis' ? { group: segments[2] ?? '' } : {};
  const details = { ...group, kind: segments.at(-1) ?? '' };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details, code: 200 };
}

/** A step of a lifecycle or a conversion: its `request` is the method and the path. */
export function withCollectionDeletion(step: Json): Json {
  if (!isBody(step) || typeof step['request'] !== 'string') return step;
  const [method = '', path = ''] = step['request'].split(' ');
  return isDeletedList(method, step['body']) ? { ...step, body: collectionDeletionStatus(path) } : step;
}

/** Whether a response is the list of the objects that a deletion of a collection has deleted. */
function isDeletedList(method: string, body: Json | undefined): boolean {
  return method === 'DELETE' && isBody(body) && typeof body['kind'] === 'string' && body['kind'].endsWith('List');
}

const UNDECLARED = 'field not declared in schema';
const STRICT = 'strict decoding error: ';
/** Begins the list in the message of this server, which names all unknown fields. Release 1.31.1 names one, at random. */
const SEVERAL_ERRORS = 'errors:\n';

/** The request as it is sent to this server, and the expected response. */
export function withDeviation(recorded: RequestCase): RequestCase {
  const { request } = recorded;
  const response = withClientFault(recorded.answer);
  const { method, path } = request;
  const { body } = response;
  if (isDeletedList(method, body)) return { request, answer: { ...response, body: deletionStatusLike(path, body) } };
  if (isDeletionWithVersion(request) && response.status === 409) {
    // The resource version of a collection is no precondition, so this server would delete the objects.
    return { request: withQuery(request, 'dryRun', 'All'), answer: { status: 200, body: collectionDeletionStatus(path) } };
  }
  const message = messageOf(body);
  // Release 1.31.1 rejects unknown fields of an applied configuration with any fieldValidation.
  if (message.includes(UNDECLARED)) return { request: withQuery(request, 'fieldValidation', 'Strict'), answer: response };
  if (method === 'PATCH' && response.status === 422 && message.includes(STRICT)) {
    return { request, answer: { ...response, status: 400, body: strictPart(message) } };
  }
  return { request, answer: response };
}

/** The Status in place of a returned list; it continues where the list does. */
function deletionStatusLike(path: string, list: Json): Body {
  const token = isBody(list) && isBody(list['metadata']) ? list['metadata']['continue'] : undefined;
  const status = collectionDeletionStatus(path);
  return token === undefined || token === '' ? status : { ...status, metadata: { continue: token } };
}

const isDeletionWithVersion = ({ method, path }: RecordedRequest): boolean =>
  method === 'DELETE' && /[?&]resourceVersion=/.test(path) && isCollection(path);

/** Release 1.31.1 responds with 500 to some faults of clients, this server with 400; both respond with 500 to faults of a definition. */
function withClientFault(response: RecordedResponse): RecordedResponse {
  if (response.status !== 500 || (isBody(response.body) && response.body['reason'] === 'InternalError')) return response;
  return { ...response, status: 400, body: isBody(response.body) ? { ...response.body, code: 400 } : response.body };
}

/** The part of this server's response that is compared with the one that {@link withDeviation} expects, the second argument. */
export function comparableResponse(response: RecordedResponse, { body }: RecordedResponse): RecordedResponse {
  const message = messageOf(response.body);
  if (message.includes(SEVERAL_ERRORS) && message.includes(undeclaredField(messageOf(body)))) return { ...response, body };
  return typeof body === 'string' && message.includes(STRICT) ? { ...response, body: strictPart(message) } : response;
}

/** The unknown field that release 1.31.1 names, as `.spec.foo: field not declared in schema`. */
function undeclaredField(message: string): string {
  return message.includes(UNDECLARED) ? message.slice(message.indexOf('): ') + '): '.length) : message;
}

/** The message from the strict decoding error on, which release 1.31.1 embeds in another one. */
const strictPart = (message: string): string => message.slice(message.indexOf(STRICT));

function messageOf(body: Json): string {
  return isBody(body) && typeof body['message'] === 'string' ? body['message'] : '';
}

/** Whether a path is that of a collection in the namespace of the recording, `$NS`. */
function isCollection(path: string): boolean {
  return withoutQuery(path).split('/').at(-2) === '$NS';
}

const withoutQuery = (path: string): string => path.replace(/\?.*/, '');

/** The request with a query parameter, which replaces one of the same name. */
function withQuery(request: RecordedRequest, name: string, value: string): RecordedRequest {
  const [path = '', query = ''] = request.path.split('?');
  const others = query.split('&').filter((part) => part !== '' && !part.startsWith(`${name}=`));
  return { ...request, path: `${path}?${[...others, `${name}=${value}`].join('&')}` };
}
