import { Registry } from 'prom-client';
import { publishConfigurations, hashServerId } from './configuration-metrics';

it('configuration metrics expose reloads of the configured files under the Kubernetes names', async () => {
  const registry = new Registry();
  const file = { name: 'authorization', reloads: { success: 2, failure: 0 }, lastReload: { success: 3_000 } };
  publishConfigurations(registry, () => [file], 'here:6443');
  const text = await registry.metrics();
  const labels = `{apiserver_id_hash="${hashServerId('here:6443')}",status="success"}`;
  expect(text).toContain(`apiserver_authorization_config_controller_automatic_reloads_total${labels} 2\n`);
  expect(text).toContain(`apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds${labels} 3\n`);
  expect(text).not.toContain('apiserver_authentication_config_controller');
});
