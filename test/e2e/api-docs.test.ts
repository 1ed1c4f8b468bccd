/**
 * The API documentation in a real browser, through `kubectl proxy`, which adds the credentials: groups, resources and
 * operations are shown, and no request is sent to another host.
 */
import path from 'node:path';
import { runClient, packagedProgram, kubectlOnPath, startClient } from '../support/external/kubectl';
import { startChromium } from '../support/external/chromium';
import { describeWithProgram } from '../support/external/find-program';
import { waitUntil } from '../support/programs';
import { reportSkipped } from '../support/report-skipped';
import { repository } from '../support/repository';
import { useApiServer } from '../support/use-api-server';
import { useClosable, useResource } from '../support/use-resource';

/** Chromium takes long to start on a busy machine. */
const TIMEOUT_MS = 180_000;
const kubectl = packagedProgram('kubectl') ?? kubectlOnPath();

describeWithProgram('chromium', 'the API documentation in Chromium', (program) => {
  if (kubectl === undefined) return reportSkipped('kubectl proxy', 'the packaged kubectl exists for linux-x64 only');
  const server = useApiServer('api-docs', () => ({ args: ['--enable-api-docs'] }));
  const proxy = useResource(
    async () => {
      const started = startClient(kubectl, server.kubeconfig, ['proxy', '--port=0']);
      const address = await waitUntil('kubectl proxy to listen', () => /Starting to serve on (\S+)/.exec(started.output)?.[1], 60_000);
      return { stop: () => started.stop(), origin: `http://${address}` };
    },
    ({ stop }) => stop(),
    TIMEOUT_MS,
  );
  const browser = useClosable(() => startChromium(program), TIMEOUT_MS);

  it(
    'lists the group versions, the resources of one, and the operations of a resource',
    async () => {
      await browser().open(`${proxy().origin}/docs`);
      expect(await browser().waitForText('Group versions')).toMatch(/^api\/v1$[^]*^apis\/apps\/v1$/m);
      await browser().open(`${proxy().origin}/docs/?document=apis/apps/v1`);
      expect(await browser().waitForText('Resources')).toMatch(/^deployments \(\d+\)$/m);
      await browser().open(`${proxy().origin}/docs/?document=apis/apps/v1&resource=deployments`);
      const operations = await browser().waitForText('List or watch objects of kind Deployment');
      expect(operations).toContain('/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale');
      expect(operations).not.toContain('ReplicaSet');
      expect(browser().reports).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'shows the descriptions of a custom resource without running what is in them',
    async () => {
      const file = path.join(repository, 'test/e2e/fixtures/lamp-definition.yaml');
      expect(await runClient(kubectl, server.kubeconfig, ['apply', '-f', file])).toMatchObject({ code: 0 });
      expect(await runClient(kubectl, server.kubeconfig, ['wait', '--for=condition=established', 'crd/lamps.example.org'])).toMatchObject({
        code: 0,
      });
      await browser().open(`${proxy().origin}/docs/?document=apis/example.org/v1&resource=lamps`);
      expect(await browser().waitForText('Lumens.')).toContain('brightness');
    },
    TIMEOUT_MS,
  );

  it(
    'explains why a document cannot be shown',
    async () => {
      await browser().open(`${proxy().origin}/docs/?document=apis/none/v1`);
      await browser().waitForText('The server has no document apis/none/v1.');
    },
    TIMEOUT_MS,
  );

  it('sends requests to its own server only', () => {
    const others = browser()
      .requests()
      .filter((url) => !url.startsWith(`${proxy().origin}/`) && !url.startsWith('data:'));
    expect(others).toEqual([]);
    // The images in the description of the custom resource.
    for (const report of browser().reports) expect(report).toContain('Content Security Policy directive: "img-src data:"');
  });
});
