/** Routes of everything that is no resource: health, metrics, discovery, OpenAPI. */
import { gzip } from 'node:zlib';
import { routeNotFound } from '../../shared/api/errors/status';
import { canonicalGroup } from '../../shared/names/dialect';
import type { DocumentAnswer, Documents } from '../discovery/document';
import type { Exchange } from '../endpoints/request/exchange';
import { negotiateStatus } from '../endpoints/request/negotiation';
import { acceptsGzip, sendText, TEXT, wantsPretty } from '../endpoints/answer/respond';
import type { PathRequest } from '../endpoints/request/request-info';
import type { Health } from '../health/checks';
import type { Metrics } from '../metrics/metrics';
import { PAGE_NOT_FOUND } from './failures';

export interface DocumentParts {
  readonly health: Health;
  readonly metrics: Metrics;
  readonly documents: readonly Documents[];
  /** Whether a group, in canonical spelling, is served in some version. */
  servesGroup(group: string): boolean;
}

const COMPRESS_FROM_BYTES = 128 * 1024;

export async function routePath(parts: DocumentParts, exchange: Exchange, info: PathRequest): Promise<void> {
  if (info.path === '/metrics') {
    const { contentType, text } = await parts.metrics.scrape();
    exchange.send(200, { 'Content-Type': contentType }, Buffer.from(text));
    return;
  }
  const health = await parts.health.answer({
    path: info.path,
    verbose: exchange.query.has('verbose'),
    exclude: exchange.query.all('exclude'),
  });
  if (health !== undefined) {
    if (health.nosniff) sendText(exchange, health.status, health.text);
    else exchange.send(health.status, { 'Content-Type': TEXT }, Buffer.from(health.text));
    return;
  }
  for (const documents of parts.documents) {
    const answer = documents.handle({
      method: exchange.method,
      path: info.path,
      query: exchange.query.text,
      accept: exchange.header('accept'),
      ifNoneMatch: exchange.header('if-none-match'),
      pretty: wantsPretty(exchange, negotiateStatus(exchange.header('accept'))),
    });
    if (answer !== undefined) {
      sendDocument(exchange, answer);
      return;
    }
  }
  if (isBelowServedGroup(parts, info.path)) throw routeNotFound();
  sendText(exchange, 404, PAGE_NOT_FOUND);
}

function sendDocument(exchange: Exchange, answer: DocumentAnswer): void {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(answer.headers)) headers[name] = typeof value === 'string' ? value : [...value];
  if (answer.body.length <= COMPRESS_FROM_BYTES || !acceptsGzip(exchange)) {
    exchange.send(answer.status, headers, answer.body);
    return;
  }
  gzip(answer.body, { level: 1 }, (error, packed) => {
    if (error === null) exchange.send(answer.status, { ...headers, 'Content-Encoding': 'gzip' }, packed);
    else exchange.abort();
  });
}

/** `/api/v9` and `/apis/<served group>/v9` lead nowhere inside the API, other paths outside of it. */
function isBelowServedGroup(parts: DocumentParts, path: string): boolean {
  const [, first, second] = path.split('/');
  if (first === 'api') return true;
  return first === 'apis' && second !== undefined && second !== '' && parts.servesGroup(canonicalGroup(second));
}
