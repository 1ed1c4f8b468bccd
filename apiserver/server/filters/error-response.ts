/** How a request that failed is answered: a Status inside the API, plain text where upstream sends text, nothing to a client that has gone. */
import { StatusError, unexplainedError } from '../../../shared/api/errors/status';
import type { Logger } from '../../../shared/runtime/logger';
import { BodyAborted } from '../../endpoints/request/body';
import type { Exchange } from '../../endpoints/request/exchange';
import { UnreadableRequest } from '../../endpoints/request/request-info';
import { sendStatus, sendText } from '../../endpoints/answer/respond';
import { PageNotFound } from '../../endpoints/routes';

export const PAGE_NOT_FOUND = '404 page not found\n';

const PANIC_TEXT = 'This request caused apiserver to panic. Look in the logs for details.\n';

export function answerFailure(logger: Logger): (exchange: Exchange, error: unknown) => void {
  return (exchange, error) => {
    if (error === undefined || error instanceof PageNotFound) {
      sendText(exchange, 404, PAGE_NOT_FOUND);
    } else if (error instanceof BodyAborted) {
      abortUnfinished(exchange);
    } else if (error instanceof UnreadableRequest) {
      if (error.closes) exchange.progress.closeConnection();
      sendText(exchange, 400, error.message);
    } else if (error instanceof StatusError) {
      answerStatus(exchange, error);
    } else {
      logger.error('a request failed for a reason of ours', {
        error,
        method: exchange.method,
        path: exchange.infoIfParsed?.path ?? '',
        auditId: exchange.auditId,
      });
      answerPanic(exchange);
    }
  };
}

function answerStatus(exchange: Exchange, error: StatusError): void {
  if (exchange.answered) abortUnfinished(exchange);
  else sendStatus(exchange, error.status, error.code);
}

/** Aborts an incomplete response. A complete one, such as the 504 of a request whose handler fails later, is still delivered. */
function abortUnfinished(exchange: Exchange): void {
  if (!exchange.finished) exchange.abort();
}

function answerPanic(exchange: Exchange): void {
  exchange.audit?.panic();
  if (exchange.answered) abortUnfinished(exchange);
  else if (exchange.infoIfParsed?.kind === 'resource') answerStatus(exchange, unexplainedError());
  else sendText(exchange, 500, PANIC_TEXT);
}
