/**
 * The script of the page at `/docs`. The query of its address selects one of three views: without `document` the list of
 * OpenAPI documents, with `document` the list of its resources, and with `document` and `resource` the operations of that
 * resource, which Redoc displays. Text of the cluster reaches the page as text only, or through Redoc's sanitizer.
 */
import { isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { countOperations, selectResource } from './resource-document';

/** The global variable that the script of Redoc defines. */
declare const Redoc: { init(document: JsonObject, options: object, element: Element): unknown };

/** Relative to the page. */
const API_ROOT = '..';
const INDEX_PATH = '/openapi/v3';

const nonce = document.currentScript?.nonce ?? '';
const trail = requireElement('trail');
const content = requireElement('content');

const REDOC_OPTIONS = {
  nonce,
  disableSearch: true,
  nativeScrollbars: true,
  hideDownloadButtons: true,
  // Descriptions of custom resources are text of users.
  sanitize: true,
  generatedSamplesMaxDepth: 4,
  jsonSamplesExpandLevel: 1,
};

showPage(new URLSearchParams(location.search)).catch(showError);

async function showPage(query: URLSearchParams): Promise<void> {
  const name = query.get('document');
  const resource = query.get('resource');
  const index = objectAt(await fetchJson(INDEX_PATH), 'paths') ?? {};
  if (name === null) {
    showDocuments(Object.keys(index));
    return;
  }
  extendTrail(name, { document: name });
  const path = stringAt(objectAt(index, name), 'serverRelativeURL');
  if (path === undefined) throw new Error(`The server has no document ${name}.`);
  const openApi = await fetchJson(path);
  if (resource === null) showResources(name, countOperations(openApi));
  else await showOperations(name, openApi, resource);
}

function showDocuments(names: readonly string[]): void {
  showList(
    'Group versions',
    names.map((name) => ({ text: name, query: { document: name } })),
  );
}

function showResources(documentName: string, operationCounts: ReadonlyMap<string, number>): void {
  const items = Array.from(operationCounts, ([resource, count]) => ({
    text: resource,
    detail: ` (${count})`,
    query: { document: documentName, resource },
  }));
  showList('Resources, with their number of operations', items);
}

async function showOperations(documentName: string, openApi: JsonObject, resource: string): Promise<void> {
  extendTrail(resource, { document: documentName, resource });
  await loadScript('redoc.js');
  content.textContent = '';
  Redoc.init(selectResource(openApi, resource), REDOC_OPTIONS, content);
}

/** A link to another view. */
interface ListItem {
  readonly text: string;
  /** Text after the link. */
  readonly detail?: string;
  /** Selects the view, as {@link showPage} reads it. */
  readonly query: Readonly<Record<string, string>>;
}

function showList(heading: string, items: readonly ListItem[]): void {
  const title = document.createElement('h1');
  title.textContent = heading;
  const list = document.createElement('ul');
  for (const { text, detail = '', query } of items) {
    const item = document.createElement('li');
    item.append(createLink(text, query), detail);
    list.append(item);
  }
  content.className = 'list';
  content.replaceChildren(title, list);
}

/** Adds a link to the path of views in the header of the page. */
function extendTrail(text: string, query: Readonly<Record<string, string>>): void {
  const separator = document.createElement('span');
  separator.textContent = '/';
  trail.append(separator, createLink(text, query));
  document.title = `${text} – API documentation`;
}

function createLink(text: string, query: Readonly<Record<string, string>>): HTMLAnchorElement {
  const link = document.createElement('a');
  link.textContent = text;
  link.href = `./?${new URLSearchParams(query).toString()}`;
  return link;
}

/** Throws an error with the message of the server's Status. */
async function fetchJson(path: string): Promise<JsonObject> {
  const response = await fetch(`${API_ROOT}${path}`, { headers: { Accept: 'application/json' } });
  const text = await response.text();
  const value = parseJson(text);
  if (!response.ok) {
    const message = stringAt(isObject(value) ? value : undefined, 'message') ?? text;
    throw new Error(`GET ${path}: ${response.status}\n${message}`);
  }
  if (!isObject(value)) throw new Error(`GET ${path}: the response is no JSON object`);
  return value;
}

/** `undefined` when the text is not JSON. */
function parseJson(text: string): JsonValue | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A result of JSON.parse contains only JSON values. */
function isJson(value: unknown): value is JsonValue {
  return value !== undefined;
}

function loadScript(source: string): Promise<void> {
  const script = document.createElement('script');
  script.nonce = nonce;
  script.src = source;
  return new Promise((resolve, reject) => {
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => reject(new Error(`The script ${source} could not be loaded.`)));
    document.head.append(script);
  });
}

function showError(error: unknown): void {
  content.className = 'error';
  content.textContent = error instanceof Error ? error.message : String(error);
}

function requireElement(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element ${id}`);
  return element;
}
