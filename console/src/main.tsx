import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import './styles/forms.css';
import './styles/table.css';

const root = document.getElementById('root');
if (!root) throw new Error('the document has no #root element');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
