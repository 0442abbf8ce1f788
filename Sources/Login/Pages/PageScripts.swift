/// The scripts of the pages between two steps of a login.
///
/// Each is a constant: what differs from answer to answer is in `data-` attributes of its element, where no text can
/// become program.
enum PageScripts {
    /// Goes on with the fragment, which no browser sends to a server.
    static let keepFragment = """
        var d=document.currentScript.dataset,h=location.hash.slice(1);\
        location.replace(d.next+(h?(d.next.indexOf("?")<0?"?":"&")+"fragment="+encodeURIComponent(h):""));
        """

    /// Goes on; the page that it came from does not stay in the history.
    static let goOn = "location.replace(document.currentScript.dataset.next);"

    /// Puts the form where only this tab and this origin find it again, then goes on.
    static let keepForm = """
        var d=document.currentScript.dataset;\
        try{sessionStorage.setItem("portcullis.form",JSON.stringify({action:d.action,form:d.form,at:Date.now()}))}\
        catch(e){}\
        location.replace(d.next);
        """

    /// Sends the form that was kept for this address within the last quarter of an hour, once.
    ///
    /// The method is called by way of the prototype: a field named `submit` would be in its place.
    static let sendForm = """
        var d=document.currentScript.dataset,k=null;\
        try{k=JSON.parse(sessionStorage.getItem("portcullis.form"));sessionStorage.removeItem("portcullis.form")}\
        catch(e){}\
        if(k&&k.action===d.action&&Date.now()-k.at<900000){\
        var f=document.createElement("form");f.method="post";f.action=d.action;\
        new URLSearchParams(k.form).forEach(function(v,n){var i=document.createElement("input");\
        i.type="hidden";i.name=n;i.value=v;f.appendChild(i)});\
        document.body.appendChild(f);HTMLFormElement.prototype.submit.call(f)}\
        else{document.getElementById("wait").hidden=true;document.getElementById("lost").hidden=false}
        """

    /// Sends the form of the page.
    static let submit = "HTMLFormElement.prototype.submit.call(document.getElementById(\"form\"));"
}
