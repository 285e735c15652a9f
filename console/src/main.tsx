import { render } from 'preact';
import { App } from './App.js';
import { start } from './start.js';

const root = document.getElementById('console');
if (root !== null) {
  render(<App />, root);
  void start();
}
