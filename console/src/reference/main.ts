import { addCopyButtons } from './copy-buttons.ts';
import { markCurrentSection } from './current-section.ts';
import { addLanguageTabs } from './language-tabs.ts';
import { addSearch } from './search.ts';
import { addTryForms } from './try-forms.ts';

/** What the API reference can do with scripts. It is one document, which can be read without them. */
addLanguageTabs();
addCopyButtons();
addTryForms();
addSearch();
markCurrentSection();

// The controls moved the text. Without this, the browser would show another place than the address says.
if (location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView();
