/**
 * Sends the bodies of a recording (format `yaml-bodies`) as dry runs, and returns its lines with the values that the
 * server read.
 */
import { yamlBytes, yamlBodies, type YamlBody } from '../../formats/yaml-body';
import { isBody, textOf, type Json } from '../../json-response';
import type { ReferenceServer } from '../reference-server';

const PATH = '/apis/apps/v1/namespaces/default/controllerrevisions?dryRun=All&fieldValidation=Warn';
/** The reason of a rejection; the beginning of the body follows it in parentheses. */
const REJECTION = /^the object provided is unrecognized \(must be of type ControllerRevision\): (.*) \([0-9a-f]* \.\.\.\)$/s;

export async function recordYamlBodies(recordingName: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = yamlBodies(recordingName);
  const lines: unknown[] = [head];
  for (const { name, body, base64 } of cases) {
    const sent = { name, ...(body === undefined ? {} : { body }), ...(base64 === undefined ? {} : { base64 }) };
    lines.push({ ...sent, ...(await responseTo(sent, server)) });
  }
  return lines;
}

async function responseTo(sent: YamlBody, server: ReferenceServer): Promise<Omit<YamlBody, 'name'>> {
  const headers = { 'content-type': 'application/yaml' };
  const { bytes, warnings } = await server.send({ method: 'POST', path: PATH, headers, body: yamlBytes(sent) });
  const response: Json = JSON.parse(bytes.toString());
  if (!isBody(response)) throw new Error(`${sent.name}: ${bytes.toString()}`);
  if (response['kind'] === 'Status') {
    const message = textOf(response['message']);
    return { fault: REJECTION.exec(message)?.[1] ?? message };
  }
  const duplicates = warnings.filter((warning) => warning.endsWith('already set in map'));
  return { value: response['data'] ?? null, ...(duplicates.length === 0 ? {} : { duplicates }) };
}
