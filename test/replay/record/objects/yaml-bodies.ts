/** Records the values that a server reads from YAML bodies (format `yaml-bodies`), with dry runs. */
import { yamlBytes, yamlBodies, type YamlBody } from '../../formats/yaml-body';
import { isBody, textOf, type Json } from '../../json-response';
import type { ReferenceServer } from '../reference-server';

const PATH = '/apis/apps/v1/namespaces/default/controllerrevisions?dryRun=All&fieldValidation=Warn';
/** The reason of a rejection; the beginning of the body follows it in parentheses. */
const REJECTION = /^the object provided is unrecognized \(must be of type ControllerRevision\): (.*) \([0-9a-f]* \.\.\.\)$/s;

export async function recordYamlBodies(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = yamlBodies(recording);
  const lines: unknown[] = [head];
  for (const { name, body, base64 } of cases) {
    const sent = { name, ...(body === undefined ? {} : { body }), ...(base64 === undefined ? {} : { base64 }) };
    lines.push({ ...sent, ...(await answerTo(sent, server)) });
  }
  return lines;
}

async function answerTo(sent: YamlBody, server: ReferenceServer): Promise<Omit<YamlBody, 'name'>> {
  const headers = { 'content-type': 'application/yaml' };
  const { bytes, warnings } = await server.send({ method: 'POST', path: PATH, headers, body: yamlBytes(sent) });
  const answer: Json = JSON.parse(bytes.toString());
  if (!isBody(answer)) throw new Error(`${sent.name}: ${bytes.toString()}`);
  if (answer['kind'] === 'Status') {
    const message = textOf(answer['message']);
    return { fault: REJECTION.exec(message)?.[1] ?? message };
  }
  const duplicates = warnings.filter((warning) => warning.endsWith('already set in map'));
  return { value: answer['data'] ?? null, ...(duplicates.length === 0 ? {} : { duplicates }) };
}
