/** A real Chromium without a window, driven over the DevTools protocol. `describeWithProgram` finds it for tests. */
import { spawn } from 'node:child_process';
import WebSocket from 'ws';
import { isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { ProgramProcess, removeFolder, temporaryFolder, waitUntil } from '../programs';

/** The browser with one page. */
export interface Browser {
  /** The URLs of all requests that the page's policy did not block. */
  requests(): readonly string[];
  /** What the browser reports: violations of the policy, failed requests, errors and messages of scripts. */
  readonly reports: readonly string[];
  open(url: string): Promise<void>;
  /** Waits until the visible text of the page contains `text`; throws with the text of the page. Returns all of it. */
  waitForText(text: string): Promise<string>;
  close(): Promise<void>;
}

/** A page may take long on a busy machine. */
const PAGE_MS = 120_000;
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--remote-debugging-port=0', '--no-first-run'];

/** Resolves when the browser accepts commands. Its profile is a temporary folder, which `close` deletes. */
export async function startChromium(program: string): Promise<Browser> {
  const profile = temporaryFolder('chromium-test');
  const child = new ProgramProcess(
    spawn(program, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] }),
  );
  const close = async (): Promise<void> => {
    await child.kill();
    removeFolder(profile);
  };
  try {
    const port = await waitUntil(
      'Chromium to listen',
      () => /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(child.output)?.[1],
      PAGE_MS,
    );
    const pages: JsonValue = JSON.parse(await (await fetch(`http://127.0.0.1:${port}/json`)).text());
    const page = (Array.isArray(pages) ? pages : []).filter(isObject).find((target) => target['type'] === 'page');
    const session = new DevToolsSession(stringAt(page, 'webSocketDebuggerUrl') ?? '');
    await session.opened;
    for (const domain of ['Log', 'Runtime', 'Network', 'Page']) await session.send(`${domain}.enable`);
    return {
      requests: () => [...session.requests.values()],
      reports: session.reports,
      open: async (url) => void (await session.send('Page.navigate', { url })),
      waitForText: (text) => waitForText(session, text),
      async close() {
        session.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** See {@link Browser.waitForText}. */
async function waitForText(session: DevToolsSession, text: string): Promise<string> {
  let shown = '';
  try {
    return await waitUntil(
      text,
      async () => {
        const { result } = await session.send('Runtime.evaluate', { expression: 'document.body.innerText', returnByValue: true });
        shown = stringAt(isObject(result) ? result : undefined, 'value') ?? '';
        return shown.includes(text) ? shown : undefined;
      },
      PAGE_MS,
    );
  } catch (error) {
    throw new Error(`the page does not show ${JSON.stringify(text)}: ${shown.slice(0, 2_000)}\n${session.reports.join('\n')}`, {
      cause: error,
    });
  }
}

/** Commands to one page, and its events. */
class DevToolsSession {
  /** The URLs of requests, by the identifier that DevTools gives each. */
  readonly requests = new Map<string, string>();
  /** See {@link Browser.reports}. */
  readonly reports: string[] = [];
  readonly opened: Promise<void>;
  private readonly socket: WebSocket;
  private readonly pending = new Map<number, (result: JsonObject) => void>();
  private lastId = 0;

  constructor(url: string) {
    this.socket = new WebSocket(url, { perMessageDeflate: false });
    this.opened = new Promise((resolve, reject) => this.socket.once('open', resolve).once('error', reject));
    this.socket.on('message', (data: Buffer) => {
      const message: JsonValue = JSON.parse(data.toString());
      if (isObject(message)) this.receive(message);
    });
  }

  /** Resolves to the result, an empty object for a command that fails. */
  send(method: string, params: JsonObject = {}): Promise<JsonObject> {
    this.lastId += 1;
    const id = this.lastId;
    this.socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => this.pending.set(id, resolve));
  }

  close(): void {
    this.socket.terminate();
  }

  private receive(message: JsonObject): void {
    const { id } = message;
    if (typeof id === 'number') {
      this.pending.get(id)?.(objectAt(message, 'result') ?? {});
      this.pending.delete(id);
      return;
    }
    const params = objectAt(message, 'params');
    const method = stringAt(message, 'method');
    if (method === 'Network.requestWillBeSent') {
      this.requests.set(stringAt(params, 'requestId') ?? '', stringAt(objectAt(params, 'request'), 'url') ?? '');
    } else if (method === 'Network.loadingFailed') {
      if (stringAt(params, 'blockedReason') === 'csp') this.requests.delete(stringAt(params, 'requestId') ?? '');
    } else if (method === 'Log.entryAdded') {
      this.reports.push(stringAt(objectAt(params, 'entry'), 'text') ?? '');
    } else if (method === 'Runtime.consoleAPICalled' || method === 'Runtime.exceptionThrown') {
      this.reports.push(JSON.stringify(params));
    }
  }
}
