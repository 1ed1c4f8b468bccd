/** The metrics of reloads of one configuration file. */
import { Registry } from 'prom-client';
import { publishConfigurations, hashServerId } from './configuration-metrics';

const SERVER = 'here:6443';

/** The exposition of a server with the given file. It was reloaded twice without an error, the last time 3 s after 1970. */
async function exposeReloadsOf(name: string): Promise<string> {
  const registry = new Registry();
  const file = { name, reloads: { success: 2, failure: 0 }, lastReload: { success: 3_000 } };
  publishConfigurations(registry, () => [file], SERVER);
  return registry.metrics();
}

it("configuration metrics expose reloads of a file that upstream reloads too under upstream's names", async () => {
  const text = await exposeReloadsOf('authorization');
  const labels = `{apiserver_id_hash="${hashServerId(SERVER)}",status="success"}`;
  expect(text).toContain(`apiserver_authorization_config_controller_automatic_reloads_total${labels} 2\n`);
  expect(text).toContain(`apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds${labels} 3\n`);
});

it("configuration metrics expose reloads of every file under this server's names", async () => {
  const text = await exposeReloadsOf('audit-policy');
  const labels = '{configuration="audit-policy",status="success"}';
  expect(text).toContain(`apiserver_configuration_automatic_reloads_total${labels} 2\n`);
  expect(text).toContain(`apiserver_configuration_automatic_reload_last_timestamp_seconds${labels} 3\n`);
});

it('configuration metrics omit files that are not configured', async () => {
  expect(await exposeReloadsOf('authorization')).not.toContain('apiserver_authentication_config_controller');
});
