/**
 * Responds to a request that ended with an error: with a Status inside the API, and with plain text where upstream sends
 * text. A client that has disconnected receives no response.
 */
import { StatusError, unexplainedError } from '../../../shared/api/errors/status';
import type { Logger } from '../../../shared/runtime/logger';
import { BodyAborted } from '../../endpoints/request/body';
import type { Exchange } from '../../endpoints/request/exchange';
import { MalformedRequest } from '../../endpoints/request/request-info';
import { sendStatus, sendText } from '../../endpoints/response/send-response';
import { PageNotFound } from '../../endpoints/routes';

/** The body of a 404 outside the API. */
export const PAGE_NOT_FOUND = '404 page not found\n';

/** The body of a 500 outside the API. */
const PANIC_TEXT = 'This request caused apiserver to panic. Look in the logs for details.\n';

/**
 * Returns the error handler of the filter chain. The handler aborts a response that is incomplete, and leaves a complete
 * response as it is.
 */
export function respondToError(logger: Logger): (exchange: Exchange, error: unknown) => void {
  return (exchange, error) => {
    if (error === undefined || error instanceof PageNotFound) {
      sendText(exchange, 404, PAGE_NOT_FOUND);
    } else if (error instanceof BodyAborted) {
      abortUnfinished(exchange);
    } else if (error instanceof MalformedRequest) {
      if (error.closesConnection) exchange.progress.closeConnection();
      sendText(exchange, 400, error.message);
    } else if (error instanceof StatusError) {
      respondWithStatus(exchange, error);
    } else {
      logger.error('a request failed with an internal error', {
        error,
        method: exchange.method,
        path: exchange.infoIfParsed?.path ?? '',
        auditId: exchange.auditId,
      });
      respondToPanic(exchange);
    }
  };
}

function respondWithStatus(exchange: Exchange, error: StatusError): void {
  if (exchange.hasResponded) abortUnfinished(exchange);
  else sendStatus(exchange, error.status, error.code);
}

/** Aborts an incomplete response. A complete one, such as a 504 after which the handler fails, is still delivered. */
function abortUnfinished(exchange: Exchange): void {
  if (!exchange.isFinished) exchange.abort();
}

function respondToPanic(exchange: Exchange): void {
  exchange.audit?.markPanic();
  if (exchange.hasResponded) abortUnfinished(exchange);
  else if (exchange.infoIfParsed?.kind === 'resource') respondWithStatus(exchange, unexplainedError());
  else sendText(exchange, 500, PANIC_TEXT);
}
