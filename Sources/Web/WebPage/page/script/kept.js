// Data that the browser stores between visits. Some browsers store nothing.
function keptText(key) { try { return localStorage.getItem(key); } catch (error) { return null; } }

function keptJSON(key) { try { return JSON.parse(keptText(key)); } catch (error) { return null; } }

function keepText(key, text) {
  try {
    if (text === null) localStorage.removeItem(key); else localStorage.setItem(key, text);
    return true;
  } catch (error) { return false; }
}

