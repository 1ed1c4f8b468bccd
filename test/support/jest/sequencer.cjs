/**
 * In which order jest runs the files of tests: those that mostly wait – for leases to end, for connections to be given up – begin first, so that none of them is left
 * when the processors have nothing else to do. Within that, as jest does it: by how long they took the last time, or by their length.
 */
const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

const WAITING = ['test/reliability', 'test/integration', 'test/e2e'].map((folder) => path.join(...folder.split('/'), path.sep));

module.exports = class WaitingFirst extends Sequencer {
  sort(tests) {
    const rank = ({ context, path: file }) => {
      const place = WAITING.findIndex((folder) => path.relative(context.config.rootDir, file).startsWith(folder));
      return place < 0 ? WAITING.length : place;
    };
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
};
