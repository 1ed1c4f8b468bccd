/**
 * The error for a kubelet that does not serve a log, with upstream's message for the kubelet's status. The kubelet's
 * text is used as it is; its length is limited where it is read.
 */
import { internalError, StatusError, type StatusReason } from '../../../shared/api/errors/status';

interface LogError {
  /** `undefined` when the status code has no reason. */
  readonly reason: StatusReason | undefined;
  /** `%s` stands for the kubelet's message. */
  readonly text: string;
}

/** By the status code of the kubelet; other codes have the {@link defaultError}. */
const ERROR_BY_STATUS: Readonly<Partial<Record<number, LogError>>> = {
  401: { reason: 'Unauthorized', text: 'the server has asked for the client to provide credentials' },
  403: { reason: 'Forbidden', text: '%s' },
  404: { reason: 'NotFound', text: 'the server could not find the requested resource' },
  405: { reason: 'MethodNotAllowed', text: 'the server does not allow this method on the requested resource' },
  409: { reason: 'Conflict', text: 'the server reported a conflict' },
  422: { reason: 'Invalid', text: 'the server rejected our request due to an error in our request' },
  429: { reason: 'TooManyRequests', text: 'the server has received too many requests and has asked us to try again later' },
  503: { reason: 'ServiceUnavailable', text: 'the server is currently unable to handle the request' },
  504: {
    reason: 'Timeout',
    text: 'the server was unable to return a response in the time allotted, but may still be processing the request',
  },
};

/** The resource that the error names. */
const LOG_RESOURCE = 'pods/log';

/** The response of a kubelet to a request for a log, with another status than 200. */
interface KubeletLogFailure {
  readonly status: number;
  /** The beginning of the body. */
  readonly message: string;
  /** The target of a redirect. */
  readonly location: string | undefined;
}

/** `pod` is the name in the message. A redirect is an error: it could lead to another server. */
export function kubeletLogError(pod: string, { status, message, location }: KubeletLogFailure): StatusError {
  if (status >= 300 && status < 400 && location !== undefined) {
    return new StatusError(undefined, `Get ${JSON.stringify(location)}: redirects forbidden`, undefined, { code: 500 });
  }
  if (status === 400) return new StatusError('BadRequest', message);
  if (status === 500) return internalError(message);
  const { reason, text } = ERROR_BY_STATUS[status] ?? defaultError(status, message);
  return new StatusError(
    reason,
    `${text.replace('%s', () => message)} ( ${LOG_RESOURCE} ${pod})`,
    { name: pod, kind: LOG_RESOURCE },
    { code: status },
  );
}

function defaultError(status: number, message: string): LogError {
  if (status > 500) {
    const text = `an error on the server (${JSON.stringify(message)}) has prevented the request from succeeding`;
    return { reason: 'InternalError', text };
  }
  return { reason: undefined, text: `the server responded with the status code ${status} but did not return more information` };
}
