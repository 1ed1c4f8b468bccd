/**
 * Serves the API documentation for browsers at `/docs`: a page of constant text and its two scripts, our own (`browser/`)
 * and Redoc. The page contains nothing of the cluster: its script reads the OpenAPI documents with the credentials of the
 * browser, and the Content-Security-Policy blocks every other host. Requests are authorized before, as for any path.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { errorMessage } from '../../shared/runtime/error-message';
import { PermanentError } from '../../shared/runtime/process/permanent-error';
import type { Random } from '../../shared/runtime/random';
import type { DocumentHandler, DocumentRequest, DocumentResponse } from '../discovery/document-handler';
import { createPage, createPolicy } from './page-document';

/** The files of the scripts by path, relative to this module. The build creates them, compressed with gzip. */
export const SCRIPT_FILES = {
  '/docs/page.js': 'browser/page.js.gz',
  '/docs/redoc.js': 'redoc.js.gz',
} as const;

/** The paths that {@link createApiDocs} responds to. */
export const API_DOCS_PATHS: readonly string[] = ['/docs', '/docs/', ...Object.keys(SCRIPT_FILES)];

/** A script of the page, as it is sent to clients that accept gzip. */
export interface PageScript {
  readonly gzipped: Buffer;
  /** A digest of the content, with its quotes. */
  readonly etag: string;
}

/** The scripts by their paths. */
export type PageScripts = ReadonlyMap<string, PageScript>;

/** Reads the scripts from the build. Throws {@link PermanentError} when one is missing. */
export async function loadPageScripts(folder: string = __dirname): Promise<PageScripts> {
  const loaded = Object.entries(SCRIPT_FILES).map(async ([path, name]): Promise<[string, PageScript]> => {
    const file = join(folder, name);
    const gzipped = await readFile(file).catch((error: unknown) => {
      throw new PermanentError(`--enable-api-docs: cannot read ${file}, which the build creates: ${errorMessage(error)}`, { cause: error });
    });
    return [path, { gzipped, etag: `"${createHash('sha256').update(gzipped).digest('base64url')}"` }];
  });
  return new Map(await Promise.all(loaded));
}

const EMPTY_BODY = Buffer.alloc(0);
/** 22 characters of this alphabet are more than 128 bits. */
const NONCE_LENGTH = 22;
const NONCE_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const COMMON_HEADERS = {
  'cache-control': 'no-cache, private',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * The handler of {@link API_DOCS_PATHS}; it returns `undefined` for other paths. `random` must be unpredictable, because the
 * nonces of the policy come from it.
 */
export function createApiDocs(scripts: PageScripts, random: Pick<Random, 'string'>): DocumentHandler {
  return {
    handle(request) {
      // The links of the page are relative to the folder, so that it also works behind a proxy with a prefix.
      if (request.path === '/docs') return { status: 301, headers: { ...COMMON_HEADERS, location: 'docs/' }, body: EMPTY_BODY };
      if (request.path === '/docs/') return pageResponse(random.string(NONCE_LENGTH, NONCE_ALPHABET));
      const script = scripts.get(request.path);
      return script === undefined ? undefined : scriptResponse(script, request);
    },
  };
}

function pageResponse(nonce: string): DocumentResponse {
  const headers = {
    ...COMMON_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': createPolicy(nonce),
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  };
  return { status: 200, headers, body: Buffer.from(createPage(nonce)) };
}

async function scriptResponse({ gzipped, etag }: PageScript, request: DocumentRequest): Promise<DocumentResponse> {
  const headers = { ...COMMON_HEADERS, etag, vary: 'Accept-Encoding' };
  if (request.ifNoneMatch === etag) return { status: 304, headers, body: EMPTY_BODY };
  const headersWithType = { ...headers, 'content-type': 'text/javascript; charset=utf-8' };
  if (request.acceptsGzip === true) return { status: 200, headers: { ...headersWithType, 'content-encoding': 'gzip' }, body: gzipped };
  return { status: 200, headers: headersWithType, body: await promisify(gunzip)(gzipped) };
}
